/**
 * Replaces `localStorage` or `sessionStorage` if it is blocked or full. The sync client and this page use both globals directly and
 * do not start if an access throws. `main.ts` imports this file before all files that access them.
 */

/** Chosen: larger than everything that the page writes while it starts, in characters. */
const probeChars = 1000
const probeKey = 'parley:probe'

type OpenedStorage = { readonly storage: Storage; readonly isPersistent: boolean }

/** `open` may throw, or return a storage that refuses writes or every access. */
export function openStorage(open: () => Storage): OpenedStorage {
  let real: Storage | null = null
  try {
    const opened = open()
    // Reading throws if the stored data is damaged (Firefox: NS_ERROR_FILE_CORRUPTED). Such a storage is not used at all.
    opened.getItem(probeKey)
    opened.removeItem(probeKey)
    real = opened
    real.setItem(probeKey, '-'.repeat(probeChars))
    real.removeItem(probeKey)
    return { storage: real, isPersistent: true }
  } catch {
    return { storage: inMemory(real), isPersistent: false }
  }
}

/** Keeps in memory what the real storage refuses. Removing a key removes it from both. */
function inMemory(real: Storage | null): Storage {
  const refused = new Map<string, string>()
  const keys = () => [...new Set([...Object.keys(real ?? {}), ...refused.keys()])]
  const removeItem = (key: string) => {
    refused.delete(key)
    real?.removeItem(key)
  }
  return {
    get length() {
      return keys().length
    },
    key: (index) => keys()[index] ?? null,
    getItem: (key) => refused.get(key) ?? real?.getItem(key) ?? null,
    setItem: (key, value) => {
      removeItem(key)
      try {
        if (!real) throw new Error('no storage')
        real.setItem(key, value)
      } catch {
        refused.set(key, value)
      }
    },
    removeItem,
    clear: () => {
      refused.clear()
      real?.clear()
    },
  }
}

function install(name: 'localStorage' | 'sessionStorage'): boolean {
  const { storage, isPersistent } = openStorage(() => window[name])
  if (!isPersistent) Object.defineProperty(window, name, { value: storage, configurable: true })
  return isPersistent
}

const isBrowser = typeof window !== 'undefined'
if (isBrowser) install('sessionStorage')

/** False if drafts and unsent messages do not survive the tab. */
export const isLocalStoragePersistent = !isBrowser || install('localStorage')

import { vi } from 'vitest'

/** A separate storage for this test over the returned map; `vi.unstubAllGlobals` removes it. */
export function stubWebStorage(name: 'localStorage' | 'sessionStorage'): Map<string, string> {
  const items = new Map<string, string>()
  vi.stubGlobal(name, {
    get length() {
      return items.size
    },
    key: (index: number) => [...items.keys()][index] ?? null,
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
  })
  return items
}

export const stubLocalStorage = (): Map<string, string> => stubWebStorage('localStorage')

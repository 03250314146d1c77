/** Access to `localStorage` and `sessionStorage`. They may be blocked, full, or hold values of an older version. */

/** Undefined if `use` throws. */
export function withStorage<T>(use: (storage: Storage) => T): T | undefined {
  try {
    return use(localStorage)
  } catch {
    return undefined
  }
}

/** The keys of `localStorage` with this prefix, without the prefix. */
export function idsWithPrefix(prefix: string): readonly string[] {
  const keys = withStorage((storage) => Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? '')) ?? []
  return keys.filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length))
}

export function removeAll(prefix: string): void {
  for (const id of idsWithPrefix(prefix)) withStorage((storage) => storage.removeItem(prefix + id))
}

/** Stores a JSON value of this tab that survives a reload. Null removes it. */
export function storeInTab(key: string, value: object | true | null): void {
  try {
    if (value === null) sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, JSON.stringify(value))
  } catch {
    // A reload then finds no value.
  }
}

/** Null if there is no readable value. The caller must validate it. */
export function readFromTab(key: string): unknown {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? 'null')
  } catch {
    return null
  }
}

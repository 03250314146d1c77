/** Access to `localStorage` and `sessionStorage`. They may be blocked, full, or hold values of an older version. */

/** Undefined if `use` throws. */
export function withStorage<T>(use: (storage: Storage) => T): T | undefined {
  try {
    return use(localStorage)
  } catch {
    return undefined
  }
}

export const keysBelow = (storage: Storage, prefix: string): readonly string[] =>
  Array.from({ length: storage.length }, (_, index) => storage.key(index)).filter((key) => key?.startsWith(prefix)) as string[]

export function removeAll(prefix: string): void {
  withStorage((storage) => {
    for (const key of keysBelow(storage, prefix)) storage.removeItem(key)
  })
}

/** Stores a JSON value of this tab that survives a reload. Null removes it. */
export function storeInTab(key: string, value: object | null): void {
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

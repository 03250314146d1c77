/** Access to `localStorage`. It may be full or hold values of an older version; `use` may throw, and the result is then undefined. */

export function withStorage<T>(use: (storage: Storage) => T): T | undefined {
  try {
    return use(localStorage)
  } catch {
    return undefined
  }
}

export const keysBelow = (storage: Storage, prefix: string): readonly string[] =>
  Array.from({ length: storage.length }, (_, index) => storage.key(index)).filter((key) => key?.startsWith(prefix)) as string[]

export function forgetAll(prefix: string): void {
  withStorage((storage) => {
    for (const key of keysBelow(storage, prefix)) storage.removeItem(key)
  })
}

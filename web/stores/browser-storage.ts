/** What this browser keeps for a person across reloads. It may be full, forbidden, or hold what an older version wrote: then it keeps nothing. */

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

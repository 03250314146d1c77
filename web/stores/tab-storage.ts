/** What this tab keeps across reloads, as JSON. Storage may be forbidden or full, or hold what an older version wrote: then it keeps nothing. */

/** Null removes it. */
export function keepInTab(key: string, value: object | null): void {
  try {
    if (value === null) sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, JSON.stringify(value))
  } catch {
    // Whoever reloads finds what would be there without it.
  }
}

/** Null where nothing can be read; what it is, the caller has to look at. */
export function keptInTab(key: string): unknown {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? 'null')
  } catch {
    return null
  }
}

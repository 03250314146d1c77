/**
 * JSON values of this tab that survive a reload. Storage may be blocked or full, or hold values of an older version; the value is then
 * missing.
 */

/** Null removes it. */
export function keepInTab(key: string, value: object | null): void {
  try {
    if (value === null) sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, JSON.stringify(value))
  } catch {
    // A reload then finds no value.
  }
}

/** Null if there is no readable value. The caller must validate it. */
export function keptInTab(key: string): unknown {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? 'null')
  } catch {
    return null
  }
}

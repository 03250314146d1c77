/** Assertions of invariants. A failed one is a bug in our code, never the result of user input. */

class AssertionError extends Error {
  override name = 'AssertionError'
}

export function assert(condition: unknown, expected: string): asserts condition {
  if (!condition) throw new AssertionError(`expected ${expected}`)
}

/** Returns a value that must be present. `what` names the value in the error. */
export function must<T>(value: T | null | undefined, what: string): T {
  if (value === null || value === undefined) throw new AssertionError(`expected ${what}`)
  return value
}

/** Default case of an exhaustive switch; a missing case is a type error. */
export function unreachable(value: never): never {
  throw new AssertionError(`expected no case ${JSON.stringify(value)}`)
}

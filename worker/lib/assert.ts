/** Invariants, said in words. A failed one is a bug of ours, never something a person did. */

export class AssertionError extends Error {
  override name = 'AssertionError'
}

export function assert(condition: unknown, expected: string): asserts condition {
  if (!condition) throw new AssertionError(`expected ${expected}`)
}

/** Unwraps what cannot be missing; `what` names it. */
export function must<T>(value: T | null | undefined, what: string): T {
  if (value === null || value === undefined) throw new AssertionError(`expected ${what}`)
  return value
}

/** Ends an exhaustive switch: the type checker complains when a case is missing. */
export function unreachable(value: never): never {
  throw new AssertionError(`expected no case ${JSON.stringify(value)}`)
}

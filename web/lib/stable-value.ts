import { useState } from 'react'

/** The first of several equal values: it keeps its identity while `isSame` holds. */
export function useStable<T>(value: T, isSame: (before: T, after: T) => boolean): T {
  const [stable, setStable] = useState(value)
  if (stable === value || isSame(stable, value)) return stable
  setStable(value)
  return value
}

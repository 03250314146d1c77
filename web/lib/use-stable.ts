/** Values and refs that keep their identity, for `memo`, effects and callbacks. */
import { type RefObject, useInsertionEffect, useRef, useState } from 'react'

/** The first of several equal values: it keeps its identity while `isSame` holds. */
export function useStable<T>(value: T, isSame: (before: T, after: T) => boolean): T {
  const [stable, setStable] = useState(value)
  if (stable === value || isSame(stable, value)) return stable
  setStable(value)
  return value
}

/** A ref to the value of the last committed render, also for layout effects of children. Do not read it in render. */
export function useLatest<T>(value: T): Readonly<RefObject<T>> {
  const latest = useRef(value)
  useInsertionEffect(() => {
    latest.current = value
  })
  return latest
}

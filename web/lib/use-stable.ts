/** Values and refs that keep their identity, for `memo`, effects and callbacks. */
import { type RefObject, useInsertionEffect, useRef } from 'react'

/** A ref to the value of the last committed render, also for layout effects of children. Do not read it in render. */
export function useLatest<T>(value: T): Readonly<RefObject<T>> {
  const latest = useRef(value)
  useInsertionEffect(() => {
    latest.current = value
  })
  return latest
}

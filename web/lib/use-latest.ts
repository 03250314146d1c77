/** A ref to the latest value, for callbacks that keep their identity. */
import { type RefObject, useInsertionEffect, useRef } from 'react'

/** The value of the last committed render, also for layout effects of children. Do not read it in render. */
export function useLatest<T>(value: T): Readonly<RefObject<T>> {
  const latest = useRef(value)
  useInsertionEffect(() => {
    latest.current = value
  })
  return latest
}

/** Values for callbacks that must not change with them. */
import { type RefObject, useLayoutEffect, useRef } from 'react'

/** The value of the last committed render. Not for reading while rendering. */
export function useLatest<T>(value: T): Readonly<RefObject<T>> {
  const latest = useRef(value)
  useLayoutEffect(() => {
    latest.current = value
  })
  return latest
}

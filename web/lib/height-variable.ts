import { type RefObject, useEffect } from 'react'

/** Keeps a variable of the root at the height of an element, for what has to stay clear of it; gone with the element. */
export function useHeightVariable(ref: RefObject<HTMLElement | null>, name: `--${string}`): void {
  useEffect(() => {
    const element = ref.current
    if (!element) return undefined
    const { style } = document.documentElement
    const observer = new ResizeObserver(() => style.setProperty(name, `${element.offsetHeight}px`))
    observer.observe(element)
    return () => {
      observer.disconnect()
      style.removeProperty(name)
    }
  }, [ref, name])
}

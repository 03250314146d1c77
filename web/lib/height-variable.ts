import { type RefObject, useEffect } from 'react'

/** Sets a CSS variable of the root to the height of an element, for layout that must stay clear of it. Removed on unmount. */
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

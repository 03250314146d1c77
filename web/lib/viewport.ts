/** The space that the page has, and heights as CSS variables. */
import { type RefObject, useCallback, useEffect, useSyncExternalStore } from 'react'

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

/** False on devices with an on-screen keyboard. It covers half of the screen and should open only on request. */
export const hasKeyboard = (): boolean => matchMedia('(pointer: fine)').matches

/** True while the media query matches. */
export function useMedia(media: string): boolean {
  const subscribe = useCallback(
    (listener: () => void) => {
      const query = matchMedia(media)
      query.addEventListener('change', listener)
      return () => query.removeEventListener('change', listener)
    },
    [media],
  )
  return useSyncExternalStore(subscribe, () => matchMedia(media).matches)
}

/** The devices of the variant `touch` (web/styles/tokens.css). */
export const touchDevice = '(pointer: coarse)'

/** The windows that Tailwind calls `max-sm`. */
export const smallWindow = '(width < 40rem)'

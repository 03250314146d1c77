/** The space that the page has: heights as CSS variables, and the on-screen keyboard. */
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

/**
 * Sets `--visible-height` to the height above the on-screen keyboard. Browsers that resize the layout report equal heights, and nothing
 * changes; iOS reports the keyboard only here.
 */
export function useKeyboardInset(): void {
  useEffect(() => {
    const viewport = window.visualViewport
    if (!viewport) return undefined
    const update = () => {
      const root = document.documentElement
      // After a pinch zoom, the visual viewport does not indicate the keyboard.
      if (viewport.scale > 1.01 || Math.abs(window.innerHeight - viewport.height) < 1) root.style.removeProperty('--visible-height')
      else root.style.setProperty('--visible-height', `${viewport.height}px`)
    }
    update()
    viewport.addEventListener('resize', update)
    return () => viewport.removeEventListener('resize', update)
  }, [])
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

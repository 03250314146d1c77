import { useEffect } from 'react'

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

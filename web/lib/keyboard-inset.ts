import { useEffect } from 'react'

/**
 * Keeps `--visible-height` equal to what a phone's keyboard leaves of the window. Browsers that shrink the layout by
 * themselves report the same number twice and nothing changes; iOS only reports it here.
 */
export function useKeyboardInset(): void {
  useEffect(() => {
    const viewport = window.visualViewport
    if (!viewport) return undefined
    const update = () => {
      const root = document.documentElement
      // Zoomed in by a pinch, the visual viewport says nothing about the keyboard.
      if (viewport.scale > 1.01 || Math.abs(window.innerHeight - viewport.height) < 1) root.style.removeProperty('--visible-height')
      else root.style.setProperty('--visible-height', `${viewport.height}px`)
    }
    update()
    viewport.addEventListener('resize', update)
    return () => viewport.removeEventListener('resize', update)
  }, [])
}

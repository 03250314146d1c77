import { type RefObject, useEffect } from 'react'

/** Marks a scroller with `data-more="above below"` for the sides on which more content hides. Writes the DOM, never renders. */
export function useScrollEdges(scrollerRef: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const scroller = scrollerRef.current
    if (!scroller) return undefined
    const update = () => {
      const above = scroller.scrollTop > 1
      const below = scroller.scrollTop + scroller.clientHeight < scroller.scrollHeight - 1
      scroller.dataset.more = [above && 'above', below && 'below'].filter(Boolean).join(' ')
    }
    update()
    const resized = new ResizeObserver(update)
    resized.observe(scroller)
    const changed = new MutationObserver(update)
    changed.observe(scroller, { childList: true, subtree: true })
    scroller.addEventListener('scroll', update, { passive: true })
    return () => {
      resized.disconnect()
      changed.disconnect()
      scroller.removeEventListener('scroll', update)
    }
  }, [scrollerRef])
}

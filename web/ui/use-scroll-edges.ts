import { type RefObject, useEffect } from 'react'

/** Sets `data-more="above left …"` on a scroller for the sides with hidden content. Writes the DOM without rendering. */
export function useScrollEdges(scrollerRef: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const scroller = scrollerRef.current
    if (!scroller) return undefined
    let frame = 0
    const update = () => {
      frame = 0
      const { scrollTop, clientHeight, scrollHeight, scrollLeft, clientWidth, scrollWidth } = scroller
      const sides = {
        above: scrollTop > 1,
        below: scrollTop + clientHeight < scrollHeight - 1,
        left: scrollLeft > 1,
        right: scrollLeft + clientWidth < scrollWidth - 1,
      }
      scroller.dataset.more = Object.entries(sides)
        .flatMap(([side, isHidden]) => (isHidden ? [side] : []))
        .join(' ')
    }
    // Reading a position after a change of the document forces a layout, so the positions are read once a frame.
    const updateInFrame = () => {
      if (frame === 0) frame = requestAnimationFrame(update)
    }
    // Also called once when it begins to observe.
    const resized = new ResizeObserver(update)
    resized.observe(scroller)
    const changed = new MutationObserver(updateInFrame)
    changed.observe(scroller, { childList: true, subtree: true })
    scroller.addEventListener('scroll', update, { passive: true })
    return () => {
      cancelAnimationFrame(frame)
      resized.disconnect()
      changed.disconnect()
      scroller.removeEventListener('scroll', update)
    }
  }, [scrollerRef])
}

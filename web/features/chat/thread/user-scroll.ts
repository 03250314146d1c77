/** The first of these events ends programmatic scrolling, also if the view cannot move. */
const userScrollEvents = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const

/** Controls that expand content in the conversation. A menu opens above the content and does not count. */
const expanderSelector = '[aria-expanded="false"]:not([aria-haspopup]), [aria-pressed="false"]'

/**
 * Calls `run(true)` before something expands and `run(false)` two frames later, after layout. Returns the function that removes the
 * listener.
 */
export function onOpening(scroller: HTMLElement, run: (isOpening: boolean) => void): () => void {
  let frame = 0
  const onClick = ({ target }: MouseEvent) => {
    if (!(target instanceof Element) || !target.closest(expanderSelector)) return
    cancelAnimationFrame(frame)
    run(true)
    frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => run(false))
    })
  }
  // Capture phase: `aria-expanded` still has the old value.
  scroller.addEventListener('click', onClick, { capture: true })
  return () => {
    cancelAnimationFrame(frame)
    scroller.removeEventListener('click', onClick, { capture: true })
  }
}

/** Returns the function that removes the listeners. */
export function onUserScroll(scroller: HTMLElement, run: () => void): () => void {
  for (const type of userScrollEvents) scroller.addEventListener(type, run, { passive: true })
  return () => {
    for (const type of userScrollEvents) scroller.removeEventListener(type, run)
  }
}

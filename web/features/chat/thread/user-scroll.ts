/** The first of these events ends programmatic scrolling, also if the view cannot move. */
const userScrollEvents = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const

/** Controls that expand content in the conversation. A menu opens above the content and does not count. */
const expanderSelector = '[aria-expanded="false"]:not([aria-haspopup]), [aria-pressed="false"]'
/** The buttons of VersionSwitch. Another version may have a longer branch. */
const versionSelector = '[data-direction]'
/** Chosen: longer than writing the row of the thread takes, from which the branch is shown. Versions cannot be switched during an answer. */
const switchedWithinMs = 500

/**
 * Calls `run(true)` before a press makes content grow, and `run(false)` after its layout: for expanders two frames later. Returns the
 * function that removes the listener.
 */
export function onOpening(scroller: HTMLElement, run: (isOpening: boolean) => void): () => void {
  let frame = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  const cancel = () => {
    cancelAnimationFrame(frame)
    clearTimeout(timer)
  }
  const onClick = ({ target }: MouseEvent) => {
    if (!(target instanceof Element)) return
    const isSwitch = target.closest(versionSelector) !== null
    if (!isSwitch && !target.closest(expanderSelector)) return
    cancel()
    run(true)
    if (isSwitch) timer = setTimeout(() => run(false), switchedWithinMs)
    else
      frame = requestAnimationFrame(() => {
        frame = requestAnimationFrame(() => run(false))
      })
  }
  // Capture phase: `aria-expanded` still has the old value.
  scroller.addEventListener('click', onClick, { capture: true })
  return () => {
    cancel()
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

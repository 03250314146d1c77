/** A view that is led somewhere is its reader's again with the first of these, also where there is no way to go and nothing moves. */
const handEvents = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const

/** What opens something in the conversation, or makes it higher; a menu opens above it. */
const opener = '[aria-expanded="false"]:not([aria-haspopup]), [aria-pressed="false"]'

/**
 * Tells when something is opened, before it is, and again in the frame after the one in which it takes its room. Until the returned function
 * is called.
 */
export function onOpening(scroller: HTMLElement, run: (isOpening: boolean) => void): () => void {
  let frame = 0
  const onClick = ({ target }: MouseEvent) => {
    if (!(target instanceof Element) || !target.closest(opener)) return
    cancelAnimationFrame(frame)
    run(true)
    frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => run(false))
    })
  }
  // On its way down: the button still says that it is closed.
  scroller.addEventListener('click', onClick, { capture: true })
  return () => {
    cancelAnimationFrame(frame)
    scroller.removeEventListener('click', onClick, { capture: true })
  }
}

/** Until the returned function is called. */
export function onHands(scroller: HTMLElement, run: () => void): () => void {
  for (const type of handEvents) scroller.addEventListener(type, run, { passive: true })
  return () => {
    for (const type of handEvents) scroller.removeEventListener(type, run)
  }
}

/** A view that is led somewhere is its reader's again with the first of these, also where there is no way to go and nothing moves. */
const handEvents = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const

/** Until the returned function is called. */
export function onHands(scroller: HTMLElement, run: () => void): () => void {
  for (const type of handEvents) scroller.addEventListener(type, run, { passive: true })
  return () => {
    for (const type of handEvents) scroller.removeEventListener(type, run)
  }
}

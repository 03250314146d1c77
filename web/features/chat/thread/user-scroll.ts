/**
 * Decides from scroll events alone if the view follows the end. A scroll upwards that does not end at the end stops following, because only
 * users cause it (shrinking content ends at the end). Reaching the end starts following. Text that grows below changes neither.
 */
export type Follow = { readonly isFollowing: boolean; readonly topPx: number }

export type Metrics = { readonly topPx: number; readonly heightPx: number; readonly contentPx: number }

/** Tolerance for fractional pixels and zoom. */
const blurPx = 2
const arrivalPx = 24

const belowOf = ({ topPx, heightPx, contentPx }: Metrics): number => contentPx - heightPx - topPx

export const isEnd = (metrics: Metrics): boolean => belowOf(metrics) <= blurPx

export function followAfter(before: Follow, metrics: Metrics): Follow {
  const { topPx } = metrics
  const isUp = topPx < before.topPx - 0.5
  if (isEnd(metrics)) return { isFollowing: true, topPx }
  if (isUp) return { isFollowing: false, topPx }
  return { isFollowing: before.isFollowing || (topPx > before.topPx && belowOf(metrics) <= arrivalPx), topPx }
}

/**
 * True if the user scrolled since `before`. The scroll event fires only in the next frame, and a layout correction before it must not undo the
 * scroll. Moving up to the end is not a scroll: the content shrank.
 */
export function wasMoved(before: Follow, metrics: Metrics): boolean {
  const movedPx = metrics.topPx - before.topPx
  return movedPx > 0.5 || (movedPx < -0.5 && !isEnd(metrics))
}

/** True if the user scrolled away from a programmatic position. A view that its end moves does not count. */
export const isTakenOver = (before: Follow, metrics: Metrics): boolean =>
  wasMoved(before, metrics) && !(before.isFollowing && followAfter(before, metrics).isFollowing)

export const metricsOf = ({ scrollTop: topPx, clientHeight: heightPx, scrollHeight: contentPx }: HTMLElement): Metrics => ({
  topPx,
  heightPx,
  contentPx,
})

/** The first of these events ends programmatic scrolling, also if the view cannot move. */
const userScrollEvents = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const

/** Controls that expand content in the conversation. A menu opens above the content and does not count. */
const expanderSelector = '[aria-expanded="false"]:not([aria-haspopup]), [aria-pressed="false"]'
/** The buttons of VersionSwitch, and the same items of a menu, which is not in the conversation. Another version may have a longer branch. */
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
    if (!isSwitch && !(scroller.contains(target) && target.closest(expanderSelector))) return
    cancel()
    run(true)
    if (isSwitch) timer = setTimeout(() => run(false), switchedWithinMs)
    else
      frame = requestAnimationFrame(() => {
        frame = requestAnimationFrame(() => run(false))
      })
  }
  // Capture phase: `aria-expanded` still has the old value.
  document.addEventListener('click', onClick, { capture: true })
  return () => {
    cancel()
    document.removeEventListener('click', onClick, { capture: true })
  }
}

/** Returns the function that removes the listeners. */
export function onUserScroll(scroller: HTMLElement, run: () => void): () => void {
  for (const type of userScrollEvents) scroller.addEventListener(type, run, { passive: true })
  return () => {
    for (const type of userScrollEvents) scroller.removeEventListener(type, run)
  }
}

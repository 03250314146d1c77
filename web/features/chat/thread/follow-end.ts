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

/**
 * Whether the view follows the end, decided from what scrolling does and nothing else. Only a person moves the view upwards
 * without also reaching the end (content that shrinks ends at the end), so that alone stops following; and only arriving at the
 * end starts it again. Text growing below changes neither.
 */
export type Follow = { readonly isFollowing: boolean; readonly topPx: number }

export type Metrics = { readonly topPx: number; readonly heightPx: number; readonly contentPx: number }

/** Fractions of pixels and zoom make the end a little blurred. */
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
 * Whether the view was moved by somebody since `before`, of which no scroll event may have told yet: it is sent with the next frame,
 * and what is drawn until then must not undo the movement. A view that went up and is at its end was moved by content that shrank.
 */
export function wasMoved(before: Follow, metrics: Metrics): boolean {
  const movedPx = metrics.topPx - before.topPx
  return movedPx > 0.5 || (movedPx < -0.5 && !isEnd(metrics))
}

/** Whether somebody moved the view by hand away from where it was being led; one that is pulled along by its end was not. */
export const isTakenOver = (before: Follow, metrics: Metrics): boolean =>
  wasMoved(before, metrics) && !(before.isFollowing && followAfter(before, metrics).isFollowing)

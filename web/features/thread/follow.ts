/**
 * Whether the view follows the end, decided from what scrolling does and nothing else. Only a person moves the view upwards
 * without also reaching the end (content that shrinks ends at the end), so that alone stops following; and only arriving at the
 * end starts it again. Text growing below changes neither.
 */
export type Follow = { readonly isFollowing: boolean; readonly topPx: number }

type Metrics = { readonly topPx: number; readonly heightPx: number; readonly contentPx: number }

/** Fractions of pixels and zoom make the end a little blurred. */
const blurPx = 2
const arrivalPx = 24

export function followAfter(before: Follow, { topPx, heightPx, contentPx }: Metrics): Follow {
  const belowPx = contentPx - heightPx - topPx
  const isUp = topPx < before.topPx - 0.5
  if (belowPx <= blurPx) return { isFollowing: true, topPx }
  if (isUp) return { isFollowing: false, topPx }
  return { isFollowing: before.isFollowing || (topPx > before.topPx && belowPx <= arrivalPx), topPx }
}

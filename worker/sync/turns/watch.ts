/** When to look again after threads whose answer is not written yet. Pure. */

/** Ours. A generation reports its own end; this is for reports that were lost and for calls that failed. */
const firstCheckMs = 5_000
const youngCheckMs = 10_000
const oldCheckMs = 60_000
const youngMs = 5 * 60_000

export const firstTurnCheckAt = (nowMs: number): number => nowMs + firstCheckMs

/** `null` when nothing is in flight. A turn that has been open for long is looked after less often, but never forgotten. */
export function nextTurnCheckAt(threads: readonly { readonly updatedAt: number }[], nowMs: number): number | null {
  if (threads.length === 0) return null
  const isYoung = threads.some(({ updatedAt }) => nowMs - updatedAt < youngMs)
  return nowMs + (isYoung ? youngCheckMs : oldCheckMs)
}

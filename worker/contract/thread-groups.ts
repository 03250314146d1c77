/** Groups of the thread list: rolling windows on the last activity, not calendar days. */

export const groupNames = ['today', 'yesterday', 'last30Days', 'history'] as const
export type GroupName = (typeof groupNames)[number]

export type ThreadGroup<T> = { readonly name: GroupName; readonly threads: readonly T[] }

const hourMs = 60 * 60 * 1000

export function groupOf(updatedAt: number, nowMs: number): GroupName {
  const age = nowMs - updatedAt
  if (age < 24 * hourMs) return 'today'
  if (age < 48 * hourMs) return 'yesterday'
  if (age < 30 * 24 * hourMs) return 'last30Days'
  return 'history'
}

/** Non-empty groups in order; the order of the threads does not change. */
export function groupThreads<T extends { readonly updatedAt: number }>(threads: readonly T[], nowMs: number): ThreadGroup<T>[] {
  const byName = Map.groupBy(threads, ({ updatedAt }) => groupOf(updatedAt, nowMs))
  return groupNames.flatMap((name) => {
    const members = byName.get(name)
    return members ? [{ name, threads: members }] : []
  })
}

/** The neighbour of a thread in the list, wrapping around. Without an open thread, down opens the first and up the last. */
export function neighbourOf(ids: readonly string[], current: string | undefined, step: 1 | -1): string | undefined {
  const index = current === undefined ? -1 : ids.indexOf(current)
  if (index < 0) return ids.at(step === 1 ? 0 : -1)
  return ids[(index + step + ids.length) % ids.length]
}

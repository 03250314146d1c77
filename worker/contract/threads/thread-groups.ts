/** Order and groups of the thread list: pins, then rolling windows on the last activity, not calendar days. */

const groupNames = ['today', 'yesterday', 'last30Days', 'history'] as const
type GroupName = 'pinned' | (typeof groupNames)[number]

type ThreadGroup<T> = { readonly name: GroupName; readonly threads: readonly T[] }

const hourMs = 60 * 60 * 1000

type Pinnable = { readonly id: string; readonly pinnedAt?: number | null | undefined }

/** The newest pin first, then the other threads in their order. `pinned`: pinned threads that may be older than `threads`. */
export function sidebarOrder<T extends Pinnable>(threads: readonly T[], pinned: readonly T[] = []): T[] {
  const all = [...new Map([...threads, ...pinned].map((thread) => [thread.id, thread])).values()]
  const pins = all.filter(({ pinnedAt }) => pinnedAt != null).sort((a, b) => (b.pinnedAt ?? 0) - (a.pinnedAt ?? 0))
  return [...pins, ...all.filter(({ pinnedAt }) => pinnedAt == null)]
}

export function groupOf(updatedAt: number, nowMs: number): GroupName {
  const age = nowMs - updatedAt
  if (age < 24 * hourMs) return 'today'
  if (age < 48 * hourMs) return 'yesterday'
  if (age < 30 * 24 * hourMs) return 'last30Days'
  return 'history'
}

/** Non-empty groups in order; the order of the threads does not change. */
export function groupThreads<T extends Omit<Pinnable, 'id'> & { readonly updatedAt: number }>(
  threads: readonly T[],
  nowMs: number,
): ThreadGroup<T>[] {
  const byName = Map.groupBy(threads, ({ updatedAt, pinnedAt }) => (pinnedAt == null ? groupOf(updatedAt, nowMs) : 'pinned'))
  return (['pinned', ...groupNames] as const).flatMap((name) => {
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

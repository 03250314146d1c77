/**
 * Reloading for a newer version, but never in a circle: for a moment after a deploy the server may still hand out the old page, which
 * would find itself too old again.
 */

const key = 'parley:reloaded-at'
const calmMs = 60_000
/** Writes that the client gives back become drafts first. */
const settleMs = 100

export type ReloadDeps = {
  readonly storage: Pick<Storage, 'getItem' | 'setItem'>
  readonly nowMs: number
  readonly reload: () => void
}

/** False when this tab has reloaded for the same reason just now: the person decides. */
export function reloadOnce({ storage, nowMs, reload }: ReloadDeps): boolean {
  const lastMs = Number(storage.getItem(key) ?? Number.NEGATIVE_INFINITY)
  if (nowMs >= lastMs && nowMs - lastMs < calmMs) return false
  storage.setItem(key, String(nowMs))
  setTimeout(reload, settleMs)
  return true
}

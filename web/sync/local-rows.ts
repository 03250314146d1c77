/**
 * A person's rows in this browser, and when they may be removed: after signing out, once no tab works with them any more.
 * Every tab holds a shared lock while it does; removing waits for the lock alone.
 */
import type { Zero } from '@rocicorp/zero'

const lockOf = (userId: string): string => `parley:rows:${userId}`

/** Holds the rows of this person until the returned function is called. */
export function holdRows(userId: string): () => void {
  if (!('locks' in navigator)) return () => undefined
  const { promise, resolve } = Promise.withResolvers<void>()
  // Refused only when the page is on its way out.
  navigator.locks.request(lockOf(userId), { mode: 'shared' }, () => promise).catch(() => undefined)
  return resolve
}

/** Removes the rows when nobody holds them. Rows that cannot be removed are only bytes: without a session nothing reads them. */
export async function removeRows(zero: Pick<Zero, 'delete' | 'userID'>): Promise<void> {
  const remove = async () => {
    await zero.delete().catch(() => undefined)
  }
  if (!('locks' in navigator) || !zero.userID) return remove()
  await navigator.locks.request(lockOf(zero.userID), remove)
}

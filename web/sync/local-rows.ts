/**
 * Removes a user's local rows after signing out, once no tab uses them. Each tab that does holds a shared lock; the removal waits for the
 * exclusive lock.
 */
import type { Zero } from '@rocicorp/zero'

const lockOf = (userId: string): string => `parley:rows:${userId}`

/** Holds the lock on the user's rows until the returned function is called. */
export function holdRows(userId: string): () => void {
  if (!('locks' in navigator)) return () => undefined
  const { promise, resolve } = Promise.withResolvers<void>()
  // Rejected only while the page is closing.
  navigator.locks.request(lockOf(userId), { mode: 'shared' }, () => promise).catch(() => undefined)
  return resolve
}

/** Removes the rows once no tab holds the lock. Failure is harmless: without a session nothing reads them. */
export async function removeRows(zero: Pick<Zero, 'delete' | 'userID'>): Promise<void> {
  const remove = async () => {
    await zero.delete().catch(() => undefined)
  }
  if (!('locks' in navigator) || !zero.userID) return remove()
  await navigator.locks.request(lockOf(zero.userID), remove)
}

// The sync object of a user, from the inside: its state, its alarms, and its end.
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env, type SyncUser, type Wire } from './sync-wire.ts'
import type { WatchedUserSync } from './watched-user-sync.ts'

export const stubOf = ({ userId }: SyncUser) => env.USER_SYNC.getByName(userId)
export const inside = <T>(user: SyncUser, look: (object: WatchedUserSync, state: DurableObjectState) => T | Promise<T>): Promise<T> =>
  runInDurableObject(stubOf(user), look)
export const evict = async (user: SyncUser): Promise<void> => {
  const stub = stubOf(user)
  // An object that has been idle for some seconds may be gone already, and one that is gone cannot be evicted.
  await runInDurableObject(stub, () => undefined)
  await evictDurableObject(stub)
}
/** The test runner ignores errors of objects that end with this reason, and no others. */
export const testAbortReason = 'Instance disposed by a test'
/** Kills the object's process at any point. */
export const kill = (user: SyncUser): Promise<void> => inside(user, (_object, state) => state.abort(testAbortReason)).catch(() => undefined)
/** When a named alarm of the object is due; null when it is not set. */
export const alarmAt = (user: SyncUser, name: string): Promise<number | null> => inside(user, (object) => object.alarmAt(name))
/** Moves a named alarm of the object. The platform’s alarm stays; `fireAlarm` fires it. */
export const setAlarmAt = (user: SyncUser, name: string, atMs: number): Promise<void> =>
  inside(user, (object) => object.setAlarmAt(name, atMs))
export const fireAlarm = (user: SyncUser): Promise<boolean> => runDurableObjectAlarm(stubOf(user))

/** True if the object still sends to this client. */
export const isConnected = ({ user, clientID }: Wire): Promise<boolean> =>
  inside(user, (_object, state) => state.getWebSockets(`client:${clientID}`).some(({ readyState }) => readyState === WebSocket.OPEN))

/** The requests to D1 while `act` ran. */
export async function batchesDuring(user: SyncUser, act: () => Promise<void>) {
  await inside(user, ({ watch }) => {
    watch.batches.length = 0
    watch.singles.length = 0
  })
  await act()
  return inside(user, ({ watch }) => ({ batches: [...watch.batches], singles: [...watch.singles] }))
}

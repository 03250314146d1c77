/**
 * Desktop notifications of this browser. The user turns them on per browser, and the browser itself must allow them. A browser without a
 * stored choice asks once, when the user returns to an answer that ended while the page was hidden.
 */
import { withStorage } from './browser-storage.ts'
import { createStore } from './store.ts'

const key = 'parley:notices'

/** Null: not asked yet. */
export const noticesWanted = createStore<boolean | null>(readWanted())

function readWanted(): boolean | null {
  const stored = withStorage((storage) => storage.getItem(key)) ?? null
  return stored === null ? null : stored === 'on'
}

export function setNoticesWanted(isWanted: boolean): void {
  noticesWanted.set(isWanted)
  withStorage((storage) => storage.setItem(key, isWanted ? 'on' : 'off'))
}

/** Undefined in browsers without notifications, for example Safari on an iPhone before the app is installed. */
export const noticePermission = (): NotificationPermission | undefined => globalThis.Notification?.permission

export const mayNotify = (): boolean => noticesWanted.get() === true && noticePermission() === 'granted'

/** Call from a click: browsers ignore requests without one. */
export async function turnOnNotices(): Promise<void> {
  setNoticesWanted((await Notification.requestPermission()) === 'granted')
}

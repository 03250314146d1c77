/**
 * Desktop notifications of this browser. The user turns them on per browser, and the browser itself must allow them. A browser without a
 * stored choice asks once, when the user returns to an answer that ended while the page was hidden.
 */
import { withStorage } from './browser-storage.ts'
import { createStore } from './store.ts'

const key = 'parley:notices'

/** Null: not asked yet. */
export const notificationsEnabled = createStore<boolean | null>(readEnabled())

function readEnabled(): boolean | null {
  const stored = withStorage((storage) => storage.getItem(key)) ?? null
  return stored === null ? null : stored === 'on'
}

export function setNotificationsEnabled(isEnabled: boolean): void {
  notificationsEnabled.set(isEnabled)
  withStorage((storage) => storage.setItem(key, isEnabled ? 'on' : 'off'))
}

/** Undefined in browsers without notifications, for example Safari on an iPhone before the app is installed. */
export const notificationPermission = (): NotificationPermission | undefined => globalThis.Notification?.permission

export const mayNotify = (): boolean => notificationsEnabled.get() === true && notificationPermission() === 'granted'

/** Call from a click: browsers ignore requests without one. */
export async function turnOnNotifications(): Promise<void> {
  setNotificationsEnabled((await Notification.requestPermission()) === 'granted')
}

/**
 * The owner of the user data in this browser. Sessions can expire, and the next sign-in may be by another user. A guest who signs in keeps
 * the data.
 */
import { withStorage } from './browser-storage.ts'

type Person = { readonly userId: string; readonly isGuest: boolean }

const key = 'parley:whose'
/** Read once at page load; changes by other pages do not affect this page. */
let person = kept()

export function keepWhose(userId: string, isGuest: boolean): void {
  person = { userId, isGuest }
  withStorage((storage) => storage.setItem(key, JSON.stringify(person)))
}

/** The user whose rows are in this browser; null after signing out. */
export const lastUserId = (): string | null => person?.userId ?? null

export const isSomebodyElses = (userId: string): boolean => person !== null && !person.isGuest && person.userId !== userId

/** No user data remains. */
export function forgetWhose(): void {
  person = null
  withStorage((storage) => storage.removeItem(key))
}

function kept(): Person | null {
  const value: unknown = withStorage((storage) => JSON.parse(storage.getItem(key) ?? 'null'))
  if (typeof value !== 'object' || value === null) return null
  const { userId, isGuest } = value as { readonly [field in keyof Person]?: unknown }
  return typeof userId === 'string' && typeof isGuest === 'boolean' ? { userId, isGuest } : null
}

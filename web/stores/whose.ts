/**
 * Whose it is what this browser keeps of a person: sessions end by themselves, and whoever signs in then may be somebody else. A guest who signs
 * in takes it along.
 */
import { withStorage } from './browser-storage.ts'

type Person = { readonly userId: string; readonly isGuest: boolean }

const key = 'parley:whose'
/** Of this page from its beginning: what other pages have kept since, their own memory goes by. */
let person = kept()

export function keepWhose(userId: string, isGuest: boolean): void {
  person = { userId, isGuest }
  withStorage((storage) => storage.setItem(key, JSON.stringify(person)))
}

/** The user whose rows are in this browser; null after signing out. */
export const lastUserId = (): string | null => person?.userId ?? null

export const isSomebodyElses = (userId: string): boolean => person !== null && !person.isGuest && person.userId !== userId

/** Nothing is kept of anybody. */
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

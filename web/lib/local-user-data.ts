/**
 * The owner of the user data in this browser, and its deletion. Sessions can expire, and the next sign-in may be by another user. A guest who
 * signs in keeps the data.
 */
import { withStorage } from './browser-storage.ts'

type Owner = { readonly userId: string; readonly isGuest: boolean }

const key = 'parley:owner'
/** Read once at page load; changes by other pages do not affect this page. */
let owner = readOwner()
const deletions = new Set<() => void>()

export function setLocalDataOwner(userId: string, isGuest: boolean): void {
  owner = { userId, isGuest }
  withStorage((storage) => storage.setItem(key, JSON.stringify(owner)))
}

/** The user whose rows are in this browser; null after signing out. */
export const lastUserId = (): string | null => owner?.userId ?? null

/** A module with user data in this browser calls it once. `routes/live.tsx` imports all of these modules. */
export const onLocalDataDeletion = (deletion: () => void): void => void deletions.add(deletion)

/** Deletes the user's unsent content in this browser when the session ends in any way. */
export function deleteLocalUserData(): void {
  for (const deletion of deletions) deletion()
  owner = null
  withStorage((storage) => storage.removeItem(key))
}

/** Runs before anything renders for the current user. */
export function deleteDataOfOtherUser(userId: string, isNewGuest: boolean): void {
  const isOthers = owner !== null && !owner.isGuest && owner.userId !== userId
  if (isNewGuest || isOthers) deleteLocalUserData()
}

function readOwner(): Owner | null {
  const value: unknown = withStorage((storage) => JSON.parse(storage.getItem(key) ?? 'null'))
  if (typeof value !== 'object' || value === null) return null
  const { userId, isGuest } = value as { readonly [field in keyof Owner]?: unknown }
  return typeof userId === 'string' && typeof isGuest === 'boolean' ? { userId, isGuest } : null
}

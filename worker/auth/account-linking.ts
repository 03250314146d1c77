/**
 * Links a guest to the account at sign-in. The guest's rows become the account's before the browser receives the account's cookie. A
 * failure rolls back: the browser keeps the guest's cookie and rows, and the user tries again. A full account (`account_full`) is such a
 * failure.
 */
import { waitUntil } from 'cloudflare:workers'
import type { Env } from '../bindings.ts'
import { planOf } from '../contract/access.ts'
import { storedContentBytes, storedContentRows, storedFileBytes } from '../contract/limits.ts'
import { type AccountLimits, linkGuest } from '../db/account-linking.ts'
import { readSubscriptions } from '../db/customers.ts'
import { classifyD1Error } from '../db/errors.ts'
import { type DatabaseBindings, directoryDb } from '../db/shards.ts'
import { logger } from '../lib/logger.ts'
import { endSessions, notify } from '../user-sync/rpc.ts'
import { deleteCachedFirstPages } from './account-deletion.ts'

/** Not an `APIError`: with one, better-auth would still send the new cookie. */
export class LinkingError extends Error {
  override name = 'LinkingError'
}

type SignedInUser = { readonly id: string; readonly isAnonymous?: boolean | null | undefined }

type Sessions = { deleteSession(token: string): Promise<void> }

type SignIn = { readonly guest: SignedInUser; readonly account: SignedInUser; readonly newToken: string; readonly sessions: Sessions }

export async function linkGuestAtSignIn(env: Env, { guest, account, newToken, sessions }: SignIn): Promise<void> {
  if (account.isAnonymous === true || account.id === guest.id) return
  let hasQueue: boolean
  try {
    hasQueue = await move(env, guest.id, account.id)
  } catch (cause) {
    await sessions.deleteSession(newToken).catch((error: unknown) => logger.error('unused_session_kept', error))
    throw new LinkingError('the guest could not be linked', { cause })
  }
  waitUntil(notifyLinked(env, guest.id, account.id, hasQueue))
}

const attempts = 3
const retryDelayMs = 100

/** Idempotent: an earlier attempt whose response was lost may have succeeded. */
async function move(env: DatabaseBindings, guestId: string, accountId: string): Promise<boolean> {
  const limits = await limitsOf(env, accountId)
  for (let attempt = 1; ; attempt++) {
    try {
      return await linkGuest(env, { guestId, accountId }, Date.now(), limits)
    } catch (error) {
      if (attempt === attempts || classifyD1Error(error).kind !== 'transient') throw error
      await scheduler.wait(retryDelayMs * attempt)
    }
  }
}

async function limitsOf(env: DatabaseBindings, accountId: string): Promise<AccountLimits> {
  const plan = planOf({ shared: await readSubscriptions(directoryDb(env), accountId) }, Date.now())
  return { maxBytes: storedContentBytes[plan], maxRows: storedContentRows[plan], maxFileBytes: storedFileBytes[plan] }
}

/** The browser's other tabs request a new token after their socket closes. The delay lets the new cookie arrive first. */
const cookieArrivesMs = 1000

async function notifyLinked(env: Env, guestId: string, accountId: string, hasQueue: boolean): Promise<void> {
  // The guest's object, which would have sent queued messages, is emptied below.
  await notify(env, [accountId], hasQueue ? 'queue' : 'rows')
  await scheduler.wait(cookieArrivesMs)
  await endSessions(env, guestId, 'all')
  await deleteCachedFirstPages(env, guestId)
}

/**
 * A guest signs in: the guest's rows become the account's before the browser gets the account's cookie. A failure undoes everything:
 * the browser keeps the guest's cookie and rows, and the user tries again. A full account is such a failure (`account_full`).
 */
import { waitUntil } from 'cloudflare:workers'
import { planOf } from '../contract/access.ts'
import { storedContentBytes, storedContentRows, storedFileBytes } from '../contract/limits.ts'
import { readSubscriptions } from '../db/customers.ts'
import { classifyD1Error } from '../db/errors.ts'
import { type AccountLimits, handOver } from '../db/hand-over.ts'
import { type DatabaseBindings, directoryDb } from '../db/shards.ts'
import type { Env } from '../env.ts'
import { logger } from '../lib/logger.ts'
import { endSessions, notify } from '../user-sync/rpc.ts'
import { forgetHints } from './leaving.ts'

/** Not one of better-auth's: with one of those the new cookie would be sent along. */
export class HandOverError extends Error {
  override name = 'HandOverError'
}

type Person = { readonly id: string; readonly isAnonymous?: boolean | null | undefined }

type Sessions = { deleteSession(token: string): Promise<void> }

type SignIn = { readonly guest: Person; readonly account: Person; readonly newToken: string; readonly sessions: Sessions }

export async function handOverGuest(env: Env, { guest, account, newToken, sessions }: SignIn): Promise<void> {
  if (account.isAnonymous === true || account.id === guest.id) return
  let hasQueue: boolean
  try {
    hasQueue = await move(env, guest.id, account.id)
  } catch (cause) {
    await sessions.deleteSession(newToken).catch((error: unknown) => logger.error('unused_session_kept', error))
    throw new HandOverError('the guest could not be handed over', { cause })
  }
  waitUntil(tell(env, guest.id, account.id, hasQueue))
}

const attempts = 3
const retryDelayMs = 100

/** May be repeated: an attempt whose answer was lost may have been the one. */
async function move(env: DatabaseBindings, guestId: string, accountId: string): Promise<boolean> {
  const limits = await limitsOf(env, accountId)
  for (let attempt = 1; ; attempt++) {
    try {
      return await handOver(env, { guestId, accountId }, Date.now(), limits)
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

/** The browser's other tabs ask for a new token when they are cut off; by then the new cookie should have reached them. */
const cookieArrivesMs = 1000

async function tell(env: Env, guestId: string, accountId: string, hasQueue: boolean): Promise<void> {
  // The guest's object, which would have sent what waits, is emptied below.
  await notify(env, [accountId], hasQueue ? 'queue' : 'rows')
  await scheduler.wait(cookieArrivesMs)
  await endSessions(env, guestId, 'all')
  await forgetHints(env, guestId)
}

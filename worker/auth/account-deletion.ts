/**
 * Deletes an account or an idle guest with all data. The row of `accountDeletion` is the point of no return: before it nothing is deleted, and after it
 * the scheduled work completes a deletion that was interrupted. The guards refuse writes of the user's open tabs from then on. All steps are
 * idempotent and may run concurrently with themselves.
 */
import { APIError } from 'better-auth/api'
import { cancelSubscriptionsOf } from '../billing/upkeep.ts'
import type { Env } from '../bindings.ts'
import {
  beginAccountDeletion,
  isBeingDeleted,
  openTurnsOf,
  readOrganizationsAlone,
  readOrphanedBy,
  readUnsettledDeletions,
  removeContent,
  removeUser,
  settleDeletion,
  userExists,
} from '../db/delete-user.ts'
import { deleteFilesOf } from '../db/file-store.ts'
import { removeSessionsBut } from '../db/sessions.ts'
import { contentDbs } from '../db/shards.ts'
import { generationStub } from '../lib/generation-stub.ts'
import { logger } from '../lib/logger.ts'
import type { Settings } from '../settings.ts'
import { endSessions } from '../user-sync/rpc.ts'
import { emailDigestOf } from './day-use-origin.ts'

/** Throws only if nothing was deleted. */
export async function deleteAccount(env: Env, settings: Settings, userId: string): Promise<void> {
  await beginAccountDeletion(env, userId, Date.now())
  await finishDeletion(env, settings, userId, Date.now()).catch((error: unknown) =>
    logger.error('deletion_not_finished', error, { userId }),
  )
}

/**
 * The `user` row is deleted last, because the other steps read it and the rows that cascade from it. Without it, only rows of writes that were in
 * flight are left. False if an object of the user could not be emptied.
 */
async function finishDeletion(env: Env, settings: Settings, userId: string, nowMs: number): Promise<boolean> {
  const exists = await userExists(env, userId)
  if (exists) {
    await removeSessionsBut(env, userId, null)
    await stopAnswers(env, userId)
    // Before the content: a connected client would keep sending.
    await endSessions(env, userId, 'all')
  }
  await deleteFilesOf(env, userId)
  await removeContent(env, userId, nowMs, await emailDigestOf(env, settings.authSecret, userId))
  if (exists) {
    await stopPaying(env, userId)
    await removeUser(env, userId, nowMs)
  }
  await deleteCachedFirstPages(env, userId)
  // Again, because an answer that stopped and a connect that was in flight write to the object.
  return endSessions(env, userId, 'all')
}

/** Running answers cost money. An object that does not respond does not delay the deletion: without its rows, its answer cannot be stored. */
async function stopAnswers(env: Env, userId: string): Promise<void> {
  for (const { generationId, objectId } of await openTurnsOf(env, userId)) {
    try {
      await generationStub(env.GENERATION, objectId)?.stop(generationId, userId)
    } catch (error) {
      logger.error('answer_not_stopped', error, { generationId })
    }
  }
}

/** Cancels the subscriptions of the user and of the organizations whose only member is the user. */
async function stopPaying(env: Env, userId: string): Promise<void> {
  await cancelSubscriptionsOf(env, { kind: 'user', id: userId })
  for (const id of await readOrganizationsAlone(env, userId)) await cancelSubscriptionsOf(env, { kind: 'organization', id })
}

/** Completes interrupted deletions, and removes rows that arrived after a deletion. Each deletion is repeated until no request can add rows. */
export async function finishDeletions(env: Env, settings: Settings, nowMs: number): Promise<number> {
  let done = 0
  for (const database of contentDbs(env)) {
    for (const { userId, isLate } of await readUnsettledDeletions(database, nowMs)) {
      try {
        const isEmpty = await finishDeletion(env, settings, userId, nowMs)
        if (isLate && isEmpty) await settleDeletion(env, userId, nowMs)
        done += 1
      } catch (error) {
        // The next run retries this deletion; the others continue.
        logger.error('deletion_not_finished', error, { userId })
      }
    }
  }
  return done
}

/** The keys of cached first pages contain user and session. The object has only the newest key, so all keys are listed. */
export async function deleteCachedFirstPages({ FIRST_PAGES }: Pick<Env, 'FIRST_PAGES'>, userId: string): Promise<void> {
  try {
    const { keys } = (await FIRST_PAGES?.list({ prefix: `first-page/${userId}/` })) ?? { keys: [] }
    await Promise.all(keys.map(({ name }) => FIRST_PAGES?.delete(name)))
  } catch (error) {
    // The keys can no longer be requested, and they expire within a day.
    logger.error('first_pages_not_deleted', error)
  }
}

/** Refuses to delete an account that is the only owner of an organization with other members. */
export async function mustNotOrphan(env: Env, userId: string): Promise<void> {
  const [name] = await readOrphanedBy(env, userId)
  if (name === undefined) return
  throw new APIError('FORBIDDEN', { code: 'LAST_OWNER', organization: name })
}

/** Refuses a sign-in whose rows the deletion would delete. */
export async function mustNotBeDeparting(env: Env, userId: string): Promise<void> {
  if (await isBeingDeleted(env, userId)) throw new APIError('CONFLICT', { code: 'ACCOUNT_BEING_DELETED' })
}

/**
 * Deletes all data of an account or an idle guest outside the `user` row, which the caller deletes last. A `departure` row comes first, so
 * that guards refuse writes of the user's open tabs. `deleteLateRows` removes writes that were in flight. All steps are idempotent.
 */
import { APIError } from 'better-auth/api'
import { cancelSubscriptionsOf } from '../billing/upkeep.ts'
import type { Env } from '../bindings.ts'
import { deleteRelatedRows, openTurnsOf, readOrganizationsAlone, readOrphanedBy, removeContent } from '../db/delete-user.ts'
import { beginAccountDeletion, cancelAccountDeletion, readUnsettledDepartures, settleDeparture, userExists } from '../db/departures.ts'
import { deleteFilesOf } from '../db/file-store.ts'
import { removeSessionsBut } from '../db/sessions.ts'
import { contentDbs } from '../db/shards.ts'
import { generationStub } from '../lib/generation-stub.ts'
import { logger } from '../lib/logger.ts'
import type { Settings } from '../settings.ts'
import { endSessions } from '../user-sync/rpc.ts'
import { emailDigestOf } from './day-use-origin.ts'

/** A deletion step outside the rows of D1: Stripe, R2 or a `Generation` object. */
type DeletionStep = (deleted: { readonly env: Env; readonly settings: Settings; readonly userId: string }) => Promise<void>

/** Stops running answers, because they cost money. */
const stopAnswers: DeletionStep = async ({ env, userId }) => {
  const turns = await openTurnsOf(env, userId)
  await Promise.all(turns.map(({ generationId, writer }) => generationStub(env.GENERATION, writer)?.stop(generationId, userId)))
}

/** Cancels the subscriptions of the user and of the organizations whose only member is the user. */
const stopPaying: DeletionStep = async ({ env, userId }) => {
  await cancelSubscriptionsOf(env, { kind: 'user', id: userId })
  for (const id of await readOrganizationsAlone(env, userId)) await cancelSubscriptionsOf(env, { kind: 'organization', id })
}

const deleteFiles: DeletionStep = ({ env, userId }) => deleteFilesOf(env, userId)

/**
 * Runs in this order before any row is deleted, because the rows list what to end. If a step fails, the account stays and the user can try
 * again.
 */
const deletionSteps: readonly DeletionStep[] = [stopAnswers, stopPaying, deleteFiles]

export async function deleteAccount(env: Env, settings: Settings, userId: string): Promise<void> {
  const isFirst = await beginAccountDeletion(env, userId, Date.now())
  try {
    for (const step of deletionSteps) await step({ env, settings, userId })
  } catch (error) {
    if (isFirst) await cancelAccountDeletion(env, userId)
    throw error
  }
  // Repeated, because a concurrent attempt may have failed and called the deletion off.
  await beginAccountDeletion(env, userId, Date.now())
  // Before the content: a signed-in client would keep sending.
  await removeSessionsBut(env, userId, null)
  await endSessions(env, userId, 'all')
  await removeContent(env, userId, Date.now(), await emailDigestOf(env, settings.authSecret, userId))
  await deleteRelatedRows(env, userId)
}

/**
 * Removes rows that arrived after a deletion. If the user still exists after a long time, the deletion failed; it is called off and the
 * user can try again.
 */
export async function deleteLateRows(env: Env, nowMs: number): Promise<number> {
  let done = 0
  for (const database of contentDbs(env)) {
    for (const { userId, isLate } of await readUnsettledDepartures(database, nowMs)) {
      if (await userExists(env, userId)) {
        if (isLate) await cancelAccountDeletion(env, userId)
        continue
      }
      await deleteFilesOf(env, userId)
      await removeContent(env, userId, nowMs)
      if (isLate) await settleDeparture(env, userId, nowMs)
      done += 1
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

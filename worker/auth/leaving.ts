/**
 * The end of an account, or of a guest nobody has heard of for long: whatever the person has outside the user's own row, which goes last, by
 * the caller. A word about it stands first, so that what the person's tabs still send is refused; what was under way then is removed by
 * `leaveAgain`. All of it may be repeated.
 */
import { APIError } from 'better-auth/api'
import { cancelSubscriptionsOf } from '../billing/upkeep.ts'
import { beginDeparture, callOffDeparture, isStillThere, readUnsettledDepartures, settleDeparture } from '../db/departures.ts'
import { deleteFilesOf } from '../db/file-store.ts'
import { openTurnsOf, readOrganizationsAlone, readOrphanedBy, removeContent, removeSessions, removeTraces } from '../db/remove-person.ts'
import { contentDbs } from '../db/shards.ts'
import type { Env, Settings } from '../env.ts'
import { logger } from '../lib/logger.ts'
import { endSessions } from '../user-sync/rpc.ts'
import { emailDigestOf } from './day-use-origin.ts'

/** Something of a person's that ends elsewhere: at a payment company, in a bucket. */
export type Farewell = (leaving: { readonly env: Env; readonly settings: Settings; readonly userId: string }) => Promise<void>

/** An answer being written costs money until it is stopped. */
const stopAnswers: Farewell = async ({ env, userId }) => {
  const turns = await openTurnsOf(env, userId)
  await Promise.all(turns.map(({ generationId, writer }) => env.GENERATION.getByName(writer).stop(generationId, userId)))
}

/** Cancelled now, and with it those of the organizations that go with the account because nobody else is in them. */
const stopPaying: Farewell = async ({ env, userId }) => {
  await cancelSubscriptionsOf(env, { kind: 'user', id: userId })
  for (const id of await readOrganizationsAlone(env, userId)) await cancelSubscriptionsOf(env, { kind: 'organization', id })
}

const deleteFiles: Farewell = ({ env, userId }) => deleteFilesOf(env, userId)

/** In this order, before any row goes: rows say what there is to end. One that fails keeps the account, and the person may try again. */
export const farewells: readonly Farewell[] = [stopAnswers, stopPaying, deleteFiles]

export async function leave(env: Env, settings: Settings, userId: string): Promise<void> {
  const isFirst = await beginDeparture(env, userId, Date.now())
  try {
    for (const farewell of farewells) await farewell({ env, settings, userId })
  } catch (error) {
    if (isFirst) await callOffDeparture(env, userId)
    throw error
  }
  // Again: another attempt may have failed meanwhile, and called it off.
  await beginDeparture(env, userId, Date.now())
  await removeSessions(env, userId)
  await endSessions(env, userId, 'all')
  await removeContent(env, userId, Date.now(), await emailDigestOf(env, settings.authSecret, userId))
  await removeTraces(env, userId)
}

/** What arrived behind those who left. Whoever is still there after long did not get to the end, and may use the account, and try again. */
export async function leaveAgain(env: Env, nowMs: number): Promise<number> {
  let done = 0
  for (const database of contentDbs(env)) {
    for (const { userId, isLate } of await readUnsettledDepartures(database, nowMs)) {
      if (await isStillThere(env, userId)) {
        if (isLate) await callOffDeparture(env, userId)
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

/** Values of the first page are named by person and session, and the object knows the newest of them only. */
export async function forgetHints({ HINTS }: Pick<Env, 'HINTS'>, userId: string): Promise<void> {
  try {
    const { keys } = (await HINTS?.list({ prefix: `first-page/${userId}/` })) ?? { keys: [] }
    await Promise.all(keys.map(({ name }) => HINTS?.delete(name)))
  } catch (error) {
    // Nobody can name them any more, and they end by themselves within a day.
    logger.error('hints not forgotten', error)
  }
}

/** People must not be left in an organization that nobody can lead or end. */
export async function mustNotOrphan(env: Env, userId: string): Promise<void> {
  const [name] = await readOrphanedBy(env, userId)
  if (name === undefined) return
  throw new APIError('FORBIDDEN', {
    code: 'LAST_OWNER',
    message: `You are the only owner of ${name}. Make somebody else its owner, or delete it, and try again.`,
  })
}

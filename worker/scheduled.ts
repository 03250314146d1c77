/**
 * Scheduled work, every few minutes: removes what was deleted or expired long ago, ends turns that nobody ended, shortens the feeds, asks
 * the payment company about what it should have told us.
 * Every job is safe to run twice and at the same time as itself; one that fails is logged and does not keep the others from running.
 */

import { forgetHints, leave, leaveAgain } from './auth/leaving.ts'
import { type Billing, billingFor } from './billing/billing.ts'
import { evenSeats, refreshOverdue } from './billing/upkeep.ts'
import { refreshCatalogue } from './chat/catalog/refresh-catalogue.ts'
import { dayOf } from './contract/access.ts'
import { pruneDayUse } from './db/day-use.ts'
import { pruneDepartures } from './db/departures.ts'
import { purgeFiles } from './db/file-store.ts'
import { pruneHits } from './db/rate-limit-hits.ts'
import { removeGuestUser } from './db/remove-person.ts'
import { contentDbs, directoryDb } from './db/shards.ts'
import {
  pruneExpired,
  pruneFeed,
  pruneMutationResults,
  pruneProgress,
  purgeMessages,
  purgeThreads,
  readOpenTurnsBefore,
} from './db/tidy.ts'
import { finishHandOvers, pruneHandOvers, readIdleGuests } from './db/tidy-people.ts'
import { type Env, mustSettings } from './env.ts'
import type { Clock } from './lib/clock.ts'
import { logger } from './lib/logger.ts'
import { endSessions } from './user-sync/rpc.ts'

/** How long a turn may be open before somebody asks its object how it is; a long answer is asked every time, and says that it runs. */
const openTurnMs = 60_000

/** What each job did, by its name: how many rows it removed, or turns it looked after. */
export type WorkDone = { readonly [job: string]: number | 'failed' }

export async function runScheduledWork(env: Env, clock: Clock): Promise<WorkDone> {
  const nowMs = clock()
  const jobs: { readonly [job: string]: () => Promise<number> } = {
    purgedThreads: () => inEvery(contentDbs(env), (database) => purgeThreads(database, nowMs)),
    purgedMessages: () => inEvery(contentDbs(env), (database) => purgeMessages(database, nowMs)),
    // After what shows them: their files go in the same run.
    purgedFiles: () => inEvery(contentDbs(env), (database) => purgeFiles(env, database, nowMs)),
    changedModels: async () => (await refreshCatalogue(env, mustSettings(env), nowMs)).changes,
    recoveredTurns: () => inEvery(contentDbs(env), (database) => recoverTurns(env, database, nowMs)),
    prunedResults: () => inEvery(contentDbs(env), (database) => pruneMutationResults(database, nowMs)),
    prunedProgress: () => inEvery(contentDbs(env), (database) => pruneProgress(database, nowMs)),
    prunedContentFeed: () => inEvery(contentDbs(env), (database) => pruneFeed(database, 'contentChange', nowMs)),
    prunedDirectoryFeed: () => pruneFeed(directoryDb(env), 'directoryChange', nowMs),
    finishedHandOvers: () => finishHandOvers(env, nowMs),
    prunedHandOvers: () => inEvery(contentDbs(env), (database) => pruneHandOvers(database, nowMs)),
    repeatedDepartures: () => leaveAgain(env, nowMs),
    prunedDepartures: () => inEvery(contentDbs(env), (database) => pruneDepartures(database, nowMs)),
    removedGuests: () => removeGuests(env, nowMs),
    prunedDayUse: () => inEvery([...new Set([directoryDb(env), ...contentDbs(env)])], (database) => pruneDayUse(database, dayOf(nowMs))),
    prunedRateLimitHits: () => pruneHits(directoryDb(env), nowMs),
    prunedSessions: () => pruneExpired(directoryDb(env), nowMs),
    refreshedSubscriptions: () => withBilling(env, refreshOverdue),
    evenedSeats: () => withBilling(env, evenSeats),
  }
  const done: { [job: string]: number | 'failed' } = {}
  for (const [job, run] of Object.entries(jobs)) {
    done[job] = await run().catch((error: unknown) => {
      logger.error('scheduled_job_failed', error, { job })
      return 'failed' as const
    })
  }
  logger.info('scheduled_work', done)
  return done
}

async function withBilling(env: Env, job: (billing: Billing) => Promise<number>): Promise<number> {
  const billing = billingFor(env, mustSettings(env))
  return billing ? job(billing) : 0
}

async function inEvery(databases: readonly D1Database[], job: (database: D1Database) => Promise<number>): Promise<number> {
  let sum = 0
  for (const database of databases) sum += await job(database)
  return sum
}

/** Everything a guest has, as with an account that is deleted; the user's row last, because it is what the next run would find. */
async function removeGuests(env: Env, nowMs: number): Promise<number> {
  const settings = mustSettings(env)
  let removed = 0
  for (const userId of await readIdleGuests(env, nowMs)) {
    try {
      await leave(env, settings, userId)
      await removeGuestUser(env, userId)
      await endSessions(env, userId, 'all')
      await forgetHints(env, userId)
      removed += 1
    } catch (error) {
      logger.error('guest_not_removed', error, { userId })
    }
  }
  return removed
}

/** Their own alarms end turns; this is for a turn whose object never got its order. The object tells the person's browsers. */
async function recoverTurns(env: Env, database: D1Database, nowMs: number): Promise<number> {
  let recovered = 0
  for (const { generationId, userId, writer } of await readOpenTurnsBefore(database, nowMs - openTurnMs)) {
    try {
      await env.GENERATION.getByName(writer).recover(generationId, userId)
      recovered += 1
    } catch (error) {
      // The next run asks again; the others should not wait for this one.
      logger.error('recover_failed', error, { generationId })
    }
  }
  return recovered
}

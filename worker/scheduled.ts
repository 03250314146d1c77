/**
 * Scheduled work, every five minutes: deletes expired rows, ends orphaned turns, prunes the feeds and reloads subscriptions whose webhook
 * events were missed. Every job is idempotent and may run concurrently with itself. A failed job is logged and does not stop the others.
 */
import { alertOperator } from './alerts.ts'
import { deleteAccount, finishDeletions } from './auth/account-deletion.ts'
import { type Billing, billingFor } from './billing/billing.ts'
import { refreshOverdue, updateUnevenSeats } from './billing/upkeep.ts'
import type { Env } from './bindings.ts'
import { refreshCatalogue } from './chat/catalog/refresh-catalogue.ts'
import { serverEgress } from './chat/tools/mcp/egress.ts'
import { dayOf } from './contract/access.ts'
import { storeDueBackup } from './db/backups.ts'
import {
  pruneDailyUse,
  pruneExpired,
  pruneFeed,
  pruneMutationResults,
  pruneProgress,
  purgeDrafts,
  purgeMemories,
  purgeMessages,
  purgeProjects,
  purgePrompts,
  purgeSharedPrompts,
  purgeShares,
  purgeTemporaryThreads,
  purgeThreads,
  readOpenTurnsBefore,
} from './db/cleanup.ts'
import { pruneDayUse } from './db/day-use.ts'
import { finishLinkings, pruneDeletions, pruneLinkings, readIdleGuests } from './db/delete-user.ts'
import { purgeFiles } from './db/file-store.ts'
import { pruneHits } from './db/rate-limit-hits.ts'
import { contentDbs, directoryDb } from './db/shards.ts'
import { hasDueRevocations, pruneRevocations } from './db/token-revocations.ts'
import { type Clock, systemClock } from './lib/clock.ts'
import { generationStub } from './lib/generation-stub.ts'
import { logger } from './lib/logger.ts'
import { mustSettings, readSettings } from './settings.ts'

/** Age at which an open turn is checked at its object. A long answer is checked in every run and reports that it is running. */
const openTurnMs = 60_000

/** Number of affected rows or turns per job. */
type WorkDone = { readonly [job: string]: number | 'failed' }

/** The page and the log of a misconfigured Worker already report the problems. */
export async function handleScheduled(env: Env): Promise<void> {
  if (readSettings(env).ok) await runScheduledWork(env, systemClock)
}

export async function runScheduledWork(env: Env, clock: Clock): Promise<WorkDone> {
  const nowMs = clock()
  const jobs: { readonly [job: string]: () => Promise<number> } = {
    purgedThreads: () => inEvery(contentDbs(env), (database) => purgeThreads(database, nowMs)),
    purgedTemporaryThreads: () => inEvery(contentDbs(env), (database) => purgeTemporaryThreads(database, nowMs)),
    purgedProjects: () => inEvery(contentDbs(env), (database) => purgeProjects(database, nowMs)),
    purgedPrompts: () => inEvery(contentDbs(env), (database) => purgePrompts(database, nowMs)),
    purgedDrafts: () => inEvery(contentDbs(env), (database) => purgeDrafts(database, nowMs)),
    purgedMemories: () => inEvery(contentDbs(env), (database) => purgeMemories(database, nowMs)),
    purgedSharedPrompts: () => purgeSharedPrompts(directoryDb(env), nowMs),
    purgedShares: () => inEvery(contentDbs(env), (database) => purgeShares(database, nowMs)),
    purgedMessages: () => inEvery(contentDbs(env), (database) => purgeMessages(database, nowMs)),
    // After the threads and messages, so that their files are deleted in the same run.
    purgedFiles: () => inEvery(contentDbs(env), (database) => purgeFiles(env, database, nowMs)),
    changedModels: async () => (await refreshCatalogue(env, mustSettings(env), nowMs)).changes,
    recoveredTurns: () => inEvery(contentDbs(env), (database) => recoverTurns(env, database, nowMs)),
    prunedResults: () => inEvery(contentDbs(env), (database) => pruneMutationResults(database, nowMs)),
    prunedDailyUse: () => inEvery(contentDbs(env), (database) => pruneDailyUse(database, nowMs)),
    prunedProgress: () => inEvery(contentDbs(env), (database) => pruneProgress(database, nowMs)),
    prunedContentFeed: () => inEvery(contentDbs(env), (database) => pruneFeed(database, 'contentChange', nowMs)),
    prunedDirectoryFeed: () => pruneFeed(directoryDb(env), 'directoryChange', nowMs),
    finishedLinkings: () => finishLinkings(env, nowMs),
    prunedLinkings: () => inEvery(contentDbs(env), (database) => pruneLinkings(database, nowMs)),
    repeatedDeletions: () => finishDeletions(env, mustSettings(env), nowMs),
    prunedAccountDeletions: () => inEvery(contentDbs(env), (database) => pruneDeletions(database, nowMs)),
    removedGuests: () => removeGuests(env, nowMs),
    // After the deletions, so that their tokens are revoked in the same run.
    revokedLogins: () => revokeLogins(env, nowMs),
    forgottenTokens: () => inEvery(allDatabases(env), (database) => pruneRevocations(database, nowMs)),
    prunedDayUse: () => inEvery(allDatabases(env), (database) => pruneDayUse(database, dayOf(nowMs))),
    prunedRateLimitHits: () => pruneHits(directoryDb(env), nowMs),
    prunedSessions: () => pruneExpired(directoryDb(env), nowMs),
    refreshedSubscriptions: () => withBilling(env, refreshOverdue),
    alerts: () => alertOperator(env, mustSettings(env), nowMs),
    evenedSeats: () => withBilling(env, updateUnevenSeats),
    // Last, because an export blocks its database.
    storedBackups: () => storeDueBackup(env, mustSettings(env).backups, nowMs),
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

/** Directory and content can be one database. */
const allDatabases = (env: Env): readonly D1Database[] => [...new Set([directoryDb(env), ...contentDbs(env)])]

/** Loads the client of tool servers, which few runs need. */
async function revokeLogins(env: Env, nowMs: number): Promise<number> {
  const { authSecret, environment } = mustSettings(env)
  const egress = serverEgress(env.PUBLIC_INTERNET, environment)
  return inEvery(allDatabases(env), async (database) => {
    if (!(await hasDueRevocations(database, nowMs))) return 0
    const { revokeWaiting } = await import('./chat/tools/mcp/revoke-waiting.ts')
    return revokeWaiting({ database, authSecret, egress, nowMs })
  })
}

/** Deletes idle guests with all data, as accounts. */
async function removeGuests(env: Env, nowMs: number): Promise<number> {
  const settings = mustSettings(env)
  let removed = 0
  for (const userId of await readIdleGuests(env, nowMs)) {
    try {
      await deleteAccount(env, settings, userId)
      removed += 1
    } catch (error) {
      logger.error('guest_not_removed', error, { userId })
    }
  }
  return removed
}

/**
 * For turns whose object never received the start command; other turns end through their alarms. A turn without an object of this namespace,
 * as in a restored backup, is ended by a new object. The object notifies the user's browsers.
 */
async function recoverTurns(env: Env, database: D1Database, nowMs: number): Promise<number> {
  let recovered = 0
  for (const { generationId, userId, objectId } of await readOpenTurnsBefore(database, nowMs - openTurnMs)) {
    try {
      const generation = generationStub(env.GENERATION, objectId) ?? env.GENERATION.get(env.GENERATION.newUniqueId())
      await generation.recover(generationId, userId)
      recovered += 1
    } catch (error) {
      // The next run retries this turn; the others continue.
      logger.error('recover_failed', error, { generationId })
    }
  }
  return recovered
}

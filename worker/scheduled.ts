/**
 * Scheduled work, every few minutes: removes what was deleted or expired long ago, ends turns that nobody ended, shortens the feeds.
 * Every job is safe to run twice and at the same time as itself; one that fails is logged and does not keep the others from running.
 */
import { contentDbs, directoryDb } from './db/shards.ts'
import { pruneExpired, pruneFeed, pruneMutationResults, purgeMessages, purgeThreads, readOpenTurnsBefore } from './db/tidy.ts'
import type { Env } from './env.ts'
import type { Clock } from './lib/clock.ts'
import { logger } from './lib/logger.ts'

/** How long a turn may be open before somebody asks its object how it is; a long answer is asked every time, and says that it runs. */
const openTurnMs = 60_000

/** What each job did, by its name: how many rows it removed, or turns it looked after. */
export type WorkDone = { readonly [job: string]: number | 'failed' }

export async function runScheduledWork(env: Env, clock: Clock): Promise<WorkDone> {
  const nowMs = clock()
  const jobs: { readonly [job: string]: () => Promise<number> } = {
    purgedThreads: () => inEvery(contentDbs(env), (database) => purgeThreads(database, nowMs)),
    purgedMessages: () => inEvery(contentDbs(env), (database) => purgeMessages(database, nowMs)),
    recoveredTurns: () => inEvery(contentDbs(env), (database) => recoverTurns(env, database, nowMs)),
    prunedResults: () => inEvery(contentDbs(env), (database) => pruneMutationResults(database, nowMs)),
    prunedContentFeed: () => inEvery(contentDbs(env), (database) => pruneFeed(database, 'contentChange', nowMs)),
    prunedDirectoryFeed: () => pruneFeed(directoryDb(env), 'directoryChange', nowMs),
    prunedSessions: () => pruneExpired(directoryDb(env), nowMs),
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

async function inEvery(databases: readonly D1Database[], job: (database: D1Database) => Promise<number>): Promise<number> {
  let sum = 0
  for (const database of databases) sum += await job(database)
  return sum
}

/** Their own alarms end turns; this is for a turn whose object never got its order. The object tells the person's browsers. */
async function recoverTurns(env: Env, database: D1Database, nowMs: number): Promise<number> {
  let recovered = 0
  for (const { id, userId } of await readOpenTurnsBefore(database, nowMs - openTurnMs)) {
    try {
      await env.GENERATION.get(env.GENERATION.idFromName(id)).recover(id, userId)
      recovered += 1
    } catch (error) {
      // The next run asks again; the others should not wait for this one.
      logger.error('recover_failed', error, { generationId: id })
    }
  }
  return recovered
}

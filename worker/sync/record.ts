/**
 * One person's part of D1. Writing and reading the feed are one batch: what was written, and what triggers made of it, is in the
 * answer, and either all of it happened or none of it.
 */
import { noAnswer } from '../db/errors.ts'
import { type FeedBreak, type FeedChange, type FeedName, feedStatement, readFeed, type Watermarks } from '../db/feed.ts'
import { contentDb, type DatabaseBindings, directoryDb } from '../db/shards.ts'
import { openTurnsStatement, type ReservedTurn, readOpenTurns } from '../db/turns.ts'
import { logger } from '../lib/logger.ts'
import { within } from '../lib/within.ts'

/**
 * As long as D1 lets a statement take (developers.cloudflare.com/d1/platform/limits), so nothing that would still be answered is given up;
 * ours take milliseconds. Behind the object's lock everybody waits with whoever asks.
 */
export const answerMs = 30_000

export type Pulled = {
  readonly changes: readonly FeedChange[]
  readonly watermarks: Watermarks
  /** More is waiting behind the watermarks. */
  readonly isComplete: boolean
  /** JSON of the rows. */
  readonly chars: number
  /** Why a feed cannot be followed; of two reasons the worse. */
  readonly break: FeedBreak | null
  readonly openTurns: readonly ReservedTurn[]
  /** Results of the statements given, in their order. */
  readonly results: readonly D1Result[]
  /** Likewise of what the directory was asked. */
  readonly answers: readonly D1Result[]
}

export class UserRecord {
  readonly userId: string
  readonly content: D1Database
  readonly directory: D1Database

  constructor(env: DatabaseBindings, userId: string) {
    this.userId = userId
    this.content = contentDb(env, userId)
    this.directory = directoryDb(env)
  }

  db(feed: FeedName): D1Database {
    return feed === 'content' ? this.content : this.directory
  }

  /** Whatever is asked of the record. What says nothing counts as failed, and may have been committed, or be so later (P6, X4). */
  batch(db: D1Database, statements: readonly D1PreparedStatement[]): Promise<D1Result[]> {
    return within<D1Result[]>(answerMs, db.batch([...statements]), noAnswer)
  }

  /**
   * Commits `statements` (on the content database) and pulls; `questions` are read-only statements on the directory. While both live in
   * one database this is one round trip.
   */
  async commit(
    statements: readonly D1PreparedStatement[],
    watermarks: Watermarks,
    questions: readonly D1PreparedStatement[] = [],
  ): Promise<Pulled> {
    const content = [feedStatement(this.content, 'content', this.userId, watermarks.content), openTurnsStatement(this.content, this.userId)]
    const directory = [feedStatement(this.directory, 'directory', this.userId, watermarks.directory), ...questions]
    const isOne = this.content === this.directory
    // Two databases are asked at once. What is written is in the content: a directory that does not answer fails questions, but no push.
    const [written, others] = await Promise.all([
      this.batch(this.content, [...statements, ...content, ...(isOne ? directory : [])]),
      isOne ? null : this.#ask(directory, statements.length > 0 && questions.length === 0),
    ])
    const [contentPage, turns, ...rest] = written.slice(statements.length)
    const contentFeed = readFeed(contentPage, watermarks.content)
    const [directoryPage, ...answers] = isOne ? rest : (others ?? [])
    const directoryFeed = directoryPage ? readFeed(directoryPage, watermarks.directory) : null
    const breaks = [contentFeed.break, directoryFeed?.break]
    return {
      changes: [...(directoryFeed?.changes ?? []), ...contentFeed.changes],
      watermarks: { content: contentFeed.watermark, directory: directoryFeed?.watermark ?? watermarks.directory },
      isComplete: contentFeed.isLast && (directoryFeed?.isLast ?? true),
      chars: contentFeed.chars + (directoryFeed?.chars ?? 0),
      break: breaks.includes('restored') ? 'restored' : breaks.includes('tidied') ? 'tidied' : null,
      openTurns: readOpenTurns(turns),
      results: written.slice(0, statements.length),
      answers,
    }
  }

  /** Null when it may fail and did: the next pull reads on from the same watermark. */
  async #ask(statements: D1PreparedStatement[], mayFail: boolean): Promise<D1Result[] | null> {
    try {
      return await this.batch(this.directory, statements)
    } catch (error) {
      if (!mayFail) throw error
      logger.warn('directory not read', { error: String(error) })
      return null
    }
  }
}

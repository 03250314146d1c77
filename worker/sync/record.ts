/**
 * One person's part of D1. Writing and reading the feed are one batch: what was written, and what triggers made of it, is in the
 * answer, and either all of it happened or none of it.
 */
import { type FeedChange, type FeedName, feedStatements, readFeed, type Watermarks } from '../db/feed.ts'
import { contentDb, type DatabaseBindings, directoryDb } from '../db/shards.ts'
import { openTurnsStatement, type ReservedTurn, readOpenTurns } from '../db/turns.ts'

export type Pulled = {
  readonly changes: readonly FeedChange[]
  readonly watermarks: Watermarks
  /** More is waiting behind the watermarks. */
  readonly isComplete: boolean
  /** A feed was tidied beyond the watermark: only an import helps. */
  readonly hasGap: boolean
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

  /**
   * Commits `statements` (on the content database) and pulls; `questions` are read-only statements on the directory. While both live in
   * one database this is one round trip.
   */
  async commit(
    statements: readonly D1PreparedStatement[],
    watermarks: Watermarks,
    questions: readonly D1PreparedStatement[] = [],
  ): Promise<Pulled> {
    const content = [
      ...feedStatements(this.content, 'content', this.userId, watermarks.content),
      openTurnsStatement(this.content, this.userId),
    ]
    const directory = [...feedStatements(this.directory, 'directory', this.userId, watermarks.directory), ...questions]
    const isOne = this.content === this.directory
    // Of two databases the directory is asked only when nothing is written: a push must not wait for a second one.
    const [written, others] = await Promise.all([
      this.content.batch([...statements, ...content, ...(isOne ? directory : [])]),
      isOne || (statements.length > 0 && questions.length === 0) ? [] : this.directory.batch(directory),
    ])
    const [contentBounds, contentPage, turns, ...rest] = written.slice(statements.length)
    const contentFeed = readFeed(contentBounds, contentPage, watermarks.content)
    const [directoryBounds, directoryPage, ...answers] = isOne ? rest : others
    const directoryFeed = readFeed(directoryBounds, directoryPage, watermarks.directory)
    return {
      changes: [...directoryFeed.changes, ...contentFeed.changes],
      watermarks: { content: contentFeed.watermark, directory: directoryFeed.watermark },
      isComplete: contentFeed.isLast && directoryFeed.isLast,
      hasGap: contentFeed.hasGap || directoryFeed.hasGap,
      openTurns: readOpenTurns(turns),
      results: written.slice(0, statements.length),
      answers,
    }
  }
}

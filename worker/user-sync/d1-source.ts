/**
 * The databases of one user as the source of the user's object (`../sync/pull/source.ts`). Writing and reading the feed are one atomic
 * batch. Its result contains the writes and the changes by triggers.
 */

import { isRefusalCode, type RefusalCode } from '../contract/errors.ts'
import { checkContentStatement, countedOnce } from '../db/content-use.ts'
import { classifyD1Error, type GuardCode, noAnswer } from '../db/errors.ts'
import { feedEndStatement, feedStatement, readFeed, readFeedEnd, type Watermarks } from '../db/feed.ts'
import { childTables, type FeedName } from '../db/feed-tables.ts'
import { hiddenFilesStatements, hidesFiles } from '../db/hidden-files.ts'
import {
  advanceStatement,
  forgetResultsStatement,
  groupProgressStatements,
  readGroupProgress,
  removeIdleClientsStatement,
  resultStatement,
} from '../db/progress.ts'
import { readIsSignedIn, sessionStatement } from '../db/sessions.ts'
import { contentDb, type DatabaseBindings, directoryDb } from '../db/shards.ts'
import { openTurnStatements, openTurnsStatement, type ReservedTurn, readOpenTurns } from '../db/turns.ts'
import {
  firstScreenStatements,
  importStart,
  importStatement,
  organizationRows,
  organizationStart,
  readFirst,
  readFirstScreen,
  readImport,
} from '../db/user-import.ts'
import { contentParts, type D1Write, directoryStatements, insertsMessages, partStatement } from '../db/writes.ts'
import { logger } from '../lib/logger.ts'
import { withTimeout } from '../lib/with-timeout.ts'
import type { Change } from '../sync/engine/types.ts'
import { cursorsBehind } from '../sync/pull/import.ts'
import type {
  Applied,
  CommitFailure,
  CommitRequest,
  CommitResult,
  CommittedMutation,
  ImportCursor,
  ImportPage,
  ImportStart,
  Outcome,
  Scopes,
  Source,
} from '../sync/pull/source.ts'
import { appErrorOf, effectsOf } from '../turns/server-mutators.ts'

/**
 * Platform limit: D1 ends a statement after 30 s (developers.cloudflare.com/d1/platform/limits). The object does not wait longer, because
 * all other tasks of the user wait for its lock.
 */
export const answerMs = 30_000

/** The most statements of one mutation without its writes: progress, the count and the content check or the result; and those that open a turn. */
const mutationStatements = 4
const turnStatements = 6

/** The namespace of the turns' objects. */
type GenerationBindings = { readonly GENERATION: { newUniqueId(): { toString(): string } } }

export class D1Source implements Source {
  readonly userId: string
  /** Platform limit: 1,000 statements in one invocation. The feed and the open turns are read with the rest. */
  readonly maxStatements = 900
  readonly #content: D1Database
  readonly #directory: D1Database
  readonly #generations: GenerationBindings['GENERATION']
  #openTurns: readonly ReservedTurn[] = []

  constructor(env: DatabaseBindings & GenerationBindings, userId: string) {
    this.userId = userId
    this.#content = contentDb(env, userId)
    this.#directory = directoryDb(env)
    this.#generations = env.GENERATION
  }

  /** State of the last commit. */
  get openTurns(): readonly ReservedTurn[] {
    return this.#openTurns
  }

  readonly childTables = childTables
  /** The scopes are the user's organizations, by organization id. */
  readonly scopes: Scopes = {
    heldSql: 'select id from organization union select organizationId from member',
    rowsOf: organizationRows,
    read: (organizationId) => this.#readOrganization(organizationId),
  }

  async commit({
    watermark,
    heldScopes,
    nowMs,
    mutations = [],
    newClients = [],
    progressOf = [],
    sessionId,
  }: CommitRequest): Promise<CommitResult> {
    const { userId } = this
    const content = this.#content
    const shared = mutations.flatMap(({ outcome }) => directoryStatements(this.#directory, userId, writesOf(outcome)))
    // Written before the progress, which marks the mutations as applied (SPEC A11).
    const hasOwnBatch = shared.length > 0 && content !== this.#directory
    if (hasOwnBatch) await this.#batch(this.#directory, shared)
    const statements = [
      ...newClients.map((group) => removeIdleClientsStatement(content, { userId, ...group }, nowMs)),
      ...this.#advanceStatements(mutations, nowMs),
      ...mutations.flatMap((mutation) => this.#mutationStatements(mutation, nowMs)),
      ...(hasOwnBatch ? [] : shared),
      ...progressOf.flatMap((groupID) => groupProgressStatements(content, userId, groupID)),
    ]
    const directoryReads = sessionId === undefined ? [] : [sessionStatement(this.#directory, sessionId, userId)]
    // Written only by this class.
    const { written, answers, read } = await this.#commitAndRead(statements, directoryReads, watermark as Watermarks, heldScopes)
    const progressAt = statements.length - 2 * progressOf.length
    return {
      ...read,
      progress: progressOf.map((_, i) => readGroupProgress(written[progressAt + 2 * i], written[progressAt + 2 * i + 1])),
      removedClients: newClients.map((_, i) => ((written[i]?.results ?? []) as { clientID: string }[]).map(({ clientID }) => clientID)),
      isSignedIn: readIsSignedIn(answers[0]),
    }
  }

  async beginImport(): Promise<ImportStart> {
    const { ends, pages } = await this.#readPages(importStart, true)
    return { watermark: ends, pages }
  }

  async readImport(cursors: readonly ImportCursor[]): Promise<readonly ImportPage[]> {
    const afters = new Map(cursors.map(({ table, after }) => [table, after]))
    const open = importStart.flatMap((start) => {
      const after = afters.get(start.table)
      return after === undefined ? [] : [{ ...start, after }]
    })
    const { pages } = await this.#readPages(readFirst(open), false)
    return pages
  }

  async firstScreenRows(): Promise<readonly Change[]> {
    return readFirstScreen(await this.#batch(this.#content, firstScreenStatements(this.#content, this.userId)))
  }

  async forgetResults(client: { readonly clientGroupID: string; readonly clientID: string }, upToMutationID: number): Promise<void> {
    await this.#batch(this.#content, [forgetResultsStatement(this.#content, { ...client, userId: this.userId }, upToMutationID)])
  }

  async isSignedIn(sessionId: string): Promise<boolean> {
    const [found] = await this.#batch(this.#directory, [sessionStatement(this.#directory, sessionId, this.userId)])
    return readIsSignedIn(found)
  }

  failureOf(error: unknown): CommitFailure {
    return commitFailureOf(error)
  }

  statementsIn(outcome: Outcome): number {
    if (outcome.type === 'refused') return mutationStatements
    const writes = writesOf(outcome)
    const { opened } = effectsOf(outcome)
    return mutationStatements + contentParts(writes).length + writes.filter(hidesFiles).length + turnStatements * opened.length
  }

  /** One for each client. */
  #advanceStatements(mutations: readonly CommittedMutation[], nowMs: number): D1PreparedStatement[] {
    const clients = Map.groupBy(
      mutations.flatMap(({ client }) => client ?? []),
      ({ clientGroupID, clientID }) => `${clientGroupID} ${clientID}`,
    )
    return [...clients.values()].flatMap((ofClient) => {
      const [first, last] = [ofClient[0], ofClient.at(-1)]
      if (!first || !last) return []
      const range = { firstID: first.mutationID, lastID: last.mutationID }
      return [advanceStatement(this.#content, { ...first, userId: this.userId }, range, nowMs)]
    })
  }

  #mutationStatements({ client, outcome }: CommittedMutation, nowMs: number): D1PreparedStatement[] {
    if (outcome.type === 'applied') return this.#appliedStatements(outcome, nowMs)
    if (!client) return []
    const ref = { ...client, userId: this.userId }
    return [resultStatement(this.#content, ref, client.mutationID, JSON.stringify(outcome.error), nowMs)]
  }

  /** The turns come first: their guards read rows that the writes change, such as its queued message. The content check comes last. */
  #appliedStatements(applied: Applied, nowMs: number): D1PreparedStatement[] {
    const { userId } = this
    const db = this.#content
    const { opened, content } = effectsOf(applied)
    // If the batch is repeated, D1 already has the turn with the first id, so the new id is unused.
    const newObjectId = () => this.#generations.newUniqueId().toString()
    const writes = writesOf(applied)
    const written = contentParts(writes).flatMap((part) => [partStatement(db, userId, part), ...hiddenFilesStatements(db, part[0])])
    return [
      ...opened.flatMap(({ turn, reservation }) =>
        openTurnStatements(db, userId, { ...turn, objectId: newObjectId() }, reservation, nowMs),
      ),
      ...(insertsMessages(writes) ? countedOnce(db, userId, written) : written),
      ...(content ? [checkContentStatement(db, userId, content)] : []),
    ]
  }

  /** One round trip if both groups of tables are in one database. Otherwise both databases are read concurrently. */
  async #commitAndRead(
    statements: readonly D1PreparedStatement[],
    directoryReads: readonly D1PreparedStatement[],
    watermarks: Watermarks,
    organizationIds: readonly string[],
  ) {
    const { userId } = this
    const content = [feedStatement(this.#content, 'content', userId, watermarks.content), openTurnsStatement(this.#content, userId)]
    const directory = [feedStatement(this.#directory, 'directory', userId, watermarks.directory, organizationIds), ...directoryReads]
    const isOne = this.#content === this.#directory
    // The statements are for the content database, so a push succeeds without the directory. A commit with `directoryReads` needs the directory.
    const mayFail = statements.length > 0 && directoryReads.length === 0
    const [results, others] = await Promise.all([
      this.#batch(this.#content, [...statements, ...content, ...(isOne ? directory : [])]),
      isOne ? null : this.#readDirectory(directory, mayFail),
    ])
    const [contentPage, turns, ...rest] = results.slice(statements.length)
    const [directoryPage, ...answers] = isOne ? rest : (others ?? [])
    this.#openTurns = readOpenTurns(turns)
    const contentFeed = readFeed(contentPage, watermarks.content)
    const directoryFeed = directoryPage ? readFeed(directoryPage, watermarks.directory) : null
    const breaks = [contentFeed.break, directoryFeed?.break]
    const read: Omit<CommitResult, 'progress' | 'removedClients' | 'isSignedIn'> = {
      changes: [...(directoryFeed?.changes ?? []), ...contentFeed.changes],
      scopeChanges: (directoryFeed?.scopes ?? []).map(({ organizationId, isAdded }) => ({ scope: organizationId, isAdded })),
      watermark: { content: contentFeed.watermark, directory: directoryFeed?.watermark ?? watermarks.directory },
      isComplete: contentFeed.isLast && (directoryFeed?.isLast ?? true),
      chars: contentFeed.chars + (directoryFeed?.chars ?? 0),
      break: breaks.includes('restored') ? 'restored' : breaks.includes('expired') ? 'expired' : null,
    }
    return { written: results.slice(0, statements.length), answers, read }
  }

  /** All current rows of an organization. Empty if the user is not a member. */
  async #readOrganization(organizationId: string): Promise<readonly Change[]> {
    const rows: Change[] = []
    let cursors = organizationStart(organizationId)
    while (cursors.length > 0) {
      const { pages } = await this.#readPages(cursors, false)
      rows.push(...pages.flatMap((page) => page.rows))
      cursors = cursorsBehind(cursors, pages)
    }
    return rows
  }

  /** Null if an allowed failure occurred. The next pull continues at the same watermark. */
  async #readDirectory(statements: readonly D1PreparedStatement[], mayFail: boolean): Promise<D1Result[] | null> {
    try {
      return await this.#batch(this.#directory, statements)
    } catch (error) {
      if (!mayFail) throw error
      logger.warn('directory_not_read', { error: String(error) })
      return null
    }
  }

  /** One batch per database. The ends of the feeds are read before the rows, so a concurrent change is read twice instead of missed. */
  async #readPages(cursors: typeof importStart, withEnds: boolean): Promise<{ readonly ends: Watermarks; readonly pages: ImportPage[] }> {
    const reads = (['content', 'directory'] as const).flatMap((feed) => [
      ...(withEnds ? [{ feed, statement: feedEndStatement(this.#db(feed), feed), cursor: null }] : []),
      ...cursors
        .filter((cursor) => cursor.feed === feed)
        .map((cursor) => ({ feed, statement: importStatement(this.#db(feed), cursor, this.userId), cursor })),
    ])
    const answers = await Promise.all(
      [...Map.groupBy(reads, ({ feed }) => this.#db(feed))].map(async ([db, ofDb]) => {
        const results = await this.#batch(
          db,
          ofDb.map(({ statement }) => statement),
        )
        return ofDb.map(({ feed, cursor }, i) => ({ feed, cursor, result: results[i] }))
      }),
    )
    const endOf = (name: FeedName) => readFeedEnd(answers.flat().find(({ feed, cursor }) => feed === name && cursor === null)?.result)
    return {
      ends: { content: endOf('content'), directory: endOf('directory') },
      pages: answers.flat().flatMap(({ cursor, result }) => (cursor === null ? [] : [readImport(cursor, result)])),
    }
  }

  #db(feed: FeedName): D1Database {
    return feed === 'content' ? this.#content : this.#directory
  }

  /** A batch without an answer counts as failed. It may have been committed, or be committed later (SPEC P6, A5). */
  #batch(db: D1Database, statements: readonly D1PreparedStatement[]): Promise<D1Result[]> {
    return withTimeout<D1Result[]>(answerMs, db.batch([...statements]), noAnswer)
  }
}

/** `checkWrite` (server-mutators.ts) refuses writes of other tables. */
const writesOf = (outcome: Outcome): readonly D1Write[] => (outcome.type === 'applied' ? (outcome.writes as readonly D1Write[]) : [])

/** The meaning of a failed D1 batch for `UserSync`: each guard code is a refusal or a reason to read again. */
export function commitFailureOf(error: unknown): CommitFailure {
  const failure = classifyD1Error(error)
  switch (failure.kind) {
    case 'guard':
      return guardFailure(failure.code)
    case 'unique':
      return refused('invalid_request')
    case 'transient':
    case 'unknown':
      return { type: failure.kind }
  }
}

const refused = (code: RefusalCode): CommitFailure => ({ type: 'refused', error: appErrorOf(code) })

const guardFailure = (code: GuardCode): CommitFailure => failures[code] ?? refused(isRefusalCode(code) ? code : 'internal')

/** The guards that are not answered with a refusal of their own code. */
const failures: { readonly [Code in GuardCode]?: CommitFailure } = {
  stale_mutation: { type: 'stale-progress' },
  queue_moved: { type: 'stale', error: null },
  clock_behind: { type: 'stale', error: null },
  thread_busy: { type: 'stale', error: appErrorOf('thread_busy') },
  approval_decided: { type: 'stale', error: appErrorOf('approval_decided') },
  too_many_clients: { type: 'too-many-clients' },
  guest_linked: { type: 'unauthorized', message: 'this guest has become an account' },
  account_deleted: { type: 'unauthorized', message: 'this account was deleted' },
  foreign_thread: refused('not_found'),
  id_taken: refused('invalid_request'),
}

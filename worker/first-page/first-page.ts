/**
 * Writes the user's first page to KV, one key for each session that may read it: when its rows have changed, at most once a second per key, and
 * never the same text twice a day. Changes in between wait for the alarm, so that no timer keeps the object awake. A write that fails is
 * repeated by the next change or connection. The record of a write is stored with the commit; KV is written after it.
 */
import { type FirstRows, planOfRows, type ThreadEnd } from '../contract/first-page.ts'
import { threadPageSize } from '../contract/limits.ts'
import { chosenModel, isSelectable } from '../contract/models/model-choice.ts'
import { queries } from '../contract/queries.ts'
import { zql } from '../contract/schema.ts'
import {
  type CachedFirstPage,
  type FirstPageBindings,
  firstPageKey,
  firstPageTtl,
  firstPageVersion,
  sidebarProjects,
  threadEnd,
  withModel,
} from '../db/first-page.ts'
import { fingerprint } from '../lib/digests.ts'
import { logger } from '../lib/logger.ts'
import type { Engine } from '../sync/engine/types.ts'
import { encodeCookie } from '../sync/engine/versions.ts'
import type { CommitEvent, EndedSessions, Feature } from '../sync/object/app.ts'
import type { UserContext } from '../sync/object/context.ts'
import type { UserState } from '../sync/state/user-state.ts'
import { findRow, planRows, rowsOf } from '../user-sync/replica-rows.ts'

/** Platform limit: one write per second and key. */
export const firstPageIntervalMs = 1000
/** Chosen: each session is a key. One user rarely has more browsers open. */
const maxSessions = 4

const firstPageAlarm = 'first-page'
const storedName = 'firstPage'

/** What KV has. `sessionIds` name the keys. */
type Written = { readonly digest: string; readonly atMs: number; readonly sessionIds: readonly string[] }

/** The digest after a write that KV refused; no text has it. */
const notWritten = ''
const nothingWritten: Written = { digest: notWritten, atMs: Number.NEGATIVE_INFINITY, sessionIds: [] }

type Unsent = { readonly text: string; readonly due: readonly string[]; readonly removed: readonly string[] }

type FirstPageWriterDeps = {
  readonly env: FirstPageBindings
  readonly userId: string
  readonly state: UserState
  /** Keeps the object alive until the work is done. Nothing waits for it. */
  readonly inBackground: (work: Promise<void>) => void
}

export class FirstPageWriter {
  readonly #deps: FirstPageWriterDeps
  /** Recorded, and not sent to KV before the commit. */
  #unsent: Unsent | null = null
  /** KV may not contain what `#written` records: the next write happens even if the digest is equal. */
  #mustRewrite = false
  /** When `firstPageRows` last ran. In memory only: it saves work, not writes. */
  #lookedAtMs = Number.NEGATIVE_INFINITY
  #flight: Promise<void> | null = null
  /** The alarm will retry a failed read of the rows. */
  #isRetryScheduled = false
  /** Ended sessions. A late connect can name one again; it gets no write and no second deletion. */
  readonly #ended = new Set<string>()

  constructor(deps: FirstPageWriterDeps) {
    this.#deps = deps
  }

  /** After a connect. A session with a current value needs no write, because every change was written. A refused write is repeated. */
  connected(sessionIds: readonly string[], nowMs: number): boolean {
    const { sessionIds: known, atMs, digest } = this.#written
    const isCurrent = digest !== notWritten && nowMs - atMs < firstPageTtl.ms && sessionIds.every((id) => known.includes(id))
    return !isCurrent && this.update(sessionIds, nowMs)
  }

  /** True if the alarm already covers this change, because it writes the newest rows. */
  isDue(nowMs: number): boolean {
    const atMs = this.#deps.state.meta.alarmAt(firstPageAlarm)
    return atMs !== null && atMs > nowMs && atMs - nowMs <= firstPageIntervalMs
  }

  /**
   * Call after a change of rows. Without connections the sessions of the last write are used, because their turns continue. Returns true if
   * this call set the alarm time. Otherwise `send` completes the write.
   */
  update(sessionIds: readonly string[], nowMs: number): boolean {
    const { env, state } = this.#deps
    const known = sessionIds.length > 0 ? sessionIds : this.#written.sessionIds
    const readers = [...new Set(known)].filter((id) => !this.#ended.has(id)).slice(0, maxSessions)
    if (!env.FIRST_PAGES || readers.length === 0) return false
    const readyAtMs = Math.max(this.#written.atMs, this.#lookedAtMs) + firstPageIntervalMs
    // A clock that was set back must not stop the writes.
    const isEarly = nowMs < readyAtMs && readyAtMs - nowMs <= firstPageIntervalMs
    if (isEarly || this.#flight !== null) {
      if (state.meta.alarmAt(firstPageAlarm) !== null) return false
      state.meta.setAlarmAt(firstPageAlarm, isEarly ? readyAtMs : nowMs + firstPageIntervalMs)
      return true
    }
    try {
      this.#prepare(readers, nowMs)
      this.#isRetryScheduled = false
      return false
    } catch (error) {
      logger.error('first_page_not_prepared', error)
      // Retry once by alarm: a later connect of a recorded session writes nothing.
      const isRepeated = this.#isRetryScheduled
      this.#isRetryScheduled = !isRepeated
      if (!isRepeated) state.meta.setAlarmAt(firstPageAlarm, nowMs + firstPageIntervalMs)
      return !isRepeated
    }
  }

  /** After sessions ended: their values are deleted now instead of at their expiry. */
  forget(ended: readonly string[] | 'all'): void {
    try {
      this.#endSessions(ended)
    } catch (error) {
      // A failure must not stop the end of the session. The next call retries, and the value expires after a day.
      logger.error('first_page_not_deleted', error)
    }
  }

  #endSessions(ended: readonly string[] | 'all'): void {
    const { env, userId } = this.#deps
    const kv = env.FIRST_PAGES
    const written = this.#written
    const newlyEnded = (ended === 'all' ? written.sessionIds : ended).filter((id) => !this.#ended.has(id))
    if (!kv || newlyEnded.length === 0) return
    if (newlyEnded.some((id) => written.sessionIds.includes(id)))
      this.#written = { ...written, sessionIds: written.sessionIds.filter((id) => !newlyEnded.includes(id)) }
    for (const id of newlyEnded) this.#ended.add(id)
    // After a write that may be in flight.
    const before = this.#flight ?? Promise.resolve()
    this.#run(
      before.then(() => Promise.all(newlyEnded.map((id) => kv.delete(firstPageKey(userId, id))))),
      'first_page_not_deleted',
    )
  }

  /** Call after the commit of what was recorded. Sessions may have ended since. */
  send(): void {
    const unsent = this.#unsent
    const { env, userId } = this.#deps
    const kv = env.FIRST_PAGES
    this.#unsent = null
    if (!unsent || !kv) return
    const { text, due, removed } = unsent
    const write = async () => {
      const puts = due
        .filter((id) => !this.#ended.has(id))
        .map((id) => kv.put(firstPageKey(userId, id), text, { expirationTtl: firstPageTtl.s }))
      // The key of a session without a connection would show old rows for a day.
      await Promise.all([...puts, ...removed.map((id) => kv.delete(firstPageKey(userId, id)))])
    }
    // After the deletions for sessions that ended since.
    this.#run((this.#flight ?? Promise.resolve()).then(write), 'first_page_not_written')
  }

  /** Call when it is not known whether the record was committed. */
  reset(): void {
    this.#mustRewrite ||= this.#unsent !== null
    this.#unsent = null
  }

  #prepare(readers: readonly string[], nowMs: number): void {
    const { state, userId } = this.#deps
    if (state.meta.alarmAt(firstPageAlarm) !== null) state.meta.setAlarmAt(firstPageAlarm, null)
    this.#lookedAtMs = nowMs
    const { rows, recent } = firstPageRows(state.engine, userId, nowMs)
    const digest = fingerprint(JSON.stringify([firstPageVersion, rows, recent]))
    const written = this.#written
    const isSame = !this.#mustRewrite && written.digest === digest && nowMs - written.atMs < firstPageTtl.ms
    const due = isSame ? readers.filter((id) => !written.sessionIds.includes(id)) : readers
    if (due.length === 0) return
    const page: CachedFirstPage = {
      version: firstPageVersion,
      userId,
      cookie: encodeCookie(state.engine.version),
      writtenAtMs: nowMs,
      rows,
      recent,
    }
    const removed = isSame ? [] : written.sessionIds.filter((id) => !due.includes(id))
    const unsent = { text: JSON.stringify(page), due, removed }
    this.#written = isSame ? { ...written, sessionIds: [...written.sessionIds, ...due] } : { digest, atMs: nowMs, sessionIds: due }
    this.#mustRewrite = false
    this.#unsent = unsent
  }

  /** One call at a time, so that an older text never overwrites a newer one. */
  #run(work: Promise<unknown>, event: string): void {
    const flight: Promise<void> = work
      .catch((error: unknown) => {
        logger.warn(event, { reason: error instanceof Error ? error.message : 'unknown' })
        // The next change or connection writes again, even if this cannot be recorded.
        this.#mustRewrite = true
        this.#written = { ...this.#written, digest: notWritten }
      })
      .catch((error: unknown) => logger.error('first_page_not_recorded', error))
      .then(() => {
        if (this.#flight === flight) this.#flight = null
      })
    this.#flight = flight
    this.#deps.inBackground(flight)
  }

  get #written(): Written {
    // Written by the setter alone.
    return (this.#deps.state.meta.feature(storedName) as Written | undefined) ?? nothingWritten
  }

  set #written(written: Written) {
    this.#deps.state.meta.setFeature(storedName, written)
  }
}

/** Chosen: the threads that the user is likely to open next. */
const recentThreads = 5

type FirstPageRows = { readonly rows: FirstRows; readonly recent: readonly ThreadEnd[] }

/** Reads the first page from the replica. A few indexed reads, bounded for any history. */
function firstPageRows(engine: Engine, userId: string, nowMs: number): FirstPageRows {
  const threads = rowsOf(engine, queries.threads.list.fn({ args: { limit: threadPageSize }, ctx: { userId } }))
  const payers = planRows(engine, userId)
  const settings = findRow(engine, 'setting', userId) ?? null
  const chosen = settings?.modelId == null ? undefined : findRow(engine, 'model', settings.modelId)
  const plan = planOfRows(payers, nowMs)
  // The whole catalogue is read only if needed.
  const model = chosen && isSelectable(chosen) ? chosen : (chosenModel(rowsOf(engine, zql.model), settings?.modelId, plan) ?? null)
  return {
    rows: {
      ...payers,
      settings,
      model,
      usage: findRow(engine, 'usage', userId) ?? null,
      threads,
      projects: sidebarProjects(rowsOf(engine, queries.projects.all.fn({ ctx: { userId } })), threads),
    },
    recent: threads.slice(0, recentThreads).flatMap((thread) => {
      const project = thread.projectId == null ? undefined : findRow(engine, 'project', thread.projectId)
      const end = threadEnd(thread, (id) => findRow(engine, 'message', id), project)
      return end ? withModel(end, { findModel: (id) => findRow(engine, 'model', id), model, plan }) : []
    }),
  }
}

export class FirstPageCache implements Feature {
  readonly alarms = {
    [firstPageAlarm]: async () =>
      this.#outsideCommit(() => {
        this.#context.state.meta.setAlarmAt(firstPageAlarm, null)
        this.#update()
      }),
  }
  readonly #context: UserContext
  readonly #writer: FirstPageWriter

  constructor(context: UserContext, env: FirstPageBindings) {
    this.#context = context
    const { userId, state } = context
    this.#writer = new FirstPageWriter({ env, userId, state, inBackground: (work) => context.inBackground(work) })
  }

  onCommit({ hasNewVersion, isAfterImport }: CommitEvent): void {
    if (hasNewVersion || isAfterImport) this.#update()
  }

  afterCommit(): void {
    this.#writer.send()
  }

  onConnect(): void {
    if (!this.#context.isImporting) this.#outsideCommit(() => this.#writer.connected(this.#sessionIds, Date.now()))
  }

  onSessionsEnded(ended: EndedSessions): void {
    this.#writer.forget(ended)
  }

  reset(): void {
    this.#writer.reset()
  }

  /** An incomplete replica has no first page. */
  #update(): void {
    if (this.#context.isImporting) return
    const nowMs = Date.now()
    if (!this.#writer.isDue(nowMs)) this.#writer.update(this.#sessionIds, nowMs)
  }

  /** Outside a commit. */
  #outsideCommit(prepare: () => void): void {
    try {
      this.#context.state.meta.together(prepare)
    } catch (error) {
      this.#writer.reset()
      throw error
    }
    this.#writer.send()
  }

  get #sessionIds(): readonly string[] {
    return this.#context.connections.all().map(({ sessionId }) => sessionId)
  }
}

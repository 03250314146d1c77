/**
 * Deletes temporary threads an hour after their last turn began, or when no connection has shown them for `closedThreadMs`. A page that the user
 * leaves deletes its thread; this feature handles closed pages and lost connections.
 */
import { isRecord } from '../contract/is-record.ts'
import { closedThreadMs } from '../contract/limits.ts'
import { type RowOf, zql } from '../contract/schema.ts'
import type { CommitEvent, Feature } from '../sync/object/app.ts'
import { commit } from '../sync/object/commit.ts'
import type { UserContext } from '../sync/object/context.ts'
import { prepareReplica } from '../sync/object/import.ts'
import type { CommittedMutation } from '../sync/pull/source.ts'
import { Overlay, runServerMutation } from '../sync/push/apply-mutators.ts'
import { rowsOf } from '../user-sync/replica-rows.ts'
import { openThreadsOf } from './presence.ts'

const alarmName = 'temporary'
/** Chosen: delay of the next attempt after a failure. */
const retryMs = 5000

/** By thread id: the time since which no connection has shown the thread. */
type ClosedAt = { readonly [threadId: string]: number }
type Thread = RowOf<'thread'> & { readonly expiresAt: number }

export class TemporaryThreads implements Feature {
  readonly alarms = { [alarmName]: (nowMs: number) => this.#endDue(nowMs) }
  readonly #context: UserContext

  constructor(context: UserContext) {
    this.#context = context
  }

  onQueries(): void {
    this.#update()
  }

  onCommit({ changes, isFirstSinceWake, isAfterImport }: CommitEvent): void {
    const isConcerned = changes.some(({ table, row }) => table === 'thread' && (row === null || row.expiresAt != null))
    if (isConcerned || isFirstSinceWake || isAfterImport) this.#update()
  }

  /** While a temporary thread exists, notifications are pulled without a connection, so that its alarm stays correct. */
  needsNotifications(): boolean {
    return this.#threads().length > 0
  }

  /** Stores the closing times of threads, and sets the alarm for the first deletion. */
  #update(): void {
    const { meta } = this.#context.state
    const threads = this.#threads()
    const before = this.#closedAt()
    if (threads.length === 0 && Object.keys(before).length === 0) return void meta.setAlarmAt(alarmName, null)
    const open = this.#open()
    const nowMs = Date.now()
    const closed = threads.filter(({ id }) => !open.has(id)).map(({ id }) => [id, before[id] ?? nowMs] as const)
    const closedAt: ClosedAt = Object.fromEntries(closed)
    if (JSON.stringify(closedAt) !== JSON.stringify(before)) meta.setFeature(alarmName, closedAt)
    const ends = threads.map((thread) => endOf(thread, closedAt))
    meta.setAlarmAt(alarmName, ends.length === 0 ? null : Math.min(...ends))
  }

  async #endDue(nowMs: number): Promise<void> {
    const { app, state } = this.#context
    // Set before the attempt, so that a failure is followed by another attempt.
    state.meta.setAlarmAt(alarmName, nowMs + retryMs)
    if (!(await prepareReplica(this.#context))) return
    const closedAt = this.#closedAt()
    const overlay = new Overlay(state.engine, app.tables)
    const mutations: CommittedMutation[] = []
    for (const { id } of this.#threads().filter((thread) => endOf(thread, closedAt) <= nowMs)) {
      const mutation = { name: 'threads.delete', args: { threadIds: [id], at: nowMs } }
      const outcome = await runServerMutation(this.#context, overlay, mutation, nowMs)
      if (outcome.type === 'applied') mutations.push({ client: null, outcome })
    }
    await commit(this.#context, { mutations })
    this.#update()
  }

  #threads(): readonly Thread[] {
    const { state, userId } = this.#context
    const temporary = zql.thread.where('userId', userId).where('deletedAt', 'IS', null).where('expiresAt', '>', 0)
    // The condition excludes null.
    return rowsOf(state.engine, temporary) as readonly Thread[]
  }

  #open(): ReadonlySet<string> {
    const { connections, state } = this.#context
    return new Set(connections.all().flatMap((connection) => openThreadsOf(state, connection)))
  }

  /** Written by `#update` alone. */
  #closedAt(): ClosedAt {
    const stored = this.#context.state.meta.feature(alarmName)
    return isRecord(stored) ? (stored as ClosedAt) : {}
  }
}

function endOf({ id, expiresAt }: Thread, closedAt: ClosedAt): number {
  const sinceMs = closedAt[id]
  return sinceMs === undefined ? expiresAt : Math.min(expiresAt, sinceMs + closedThreadMs)
}

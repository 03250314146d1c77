/**
 * What every beat of one user's object works with, and the one way rows get into it: a D1 batch, then one storage transaction with
 * all that the batch brought, then pokes and generation calls. The replica is fed from D1's answers and from nothing else.
 */
import type { HintBindings } from '../db/first-page-hint.ts'
import type { DatabaseBindings } from '../db/shards.ts'
import type { ReservedTurn } from '../db/turns.ts'
import { logger } from '../lib/logger.ts'
import { Alarm } from './alarm.ts'
import type { Version } from './engine/types.ts'
import { HintWriter } from './hint-writer.ts'
import { forgetEverything, readOn, takePages } from './import.ts'
import { keepHint, offerHint } from './keep-hint.ts'
import { MutationQuota } from './limits/mutation-quota.ts'
import type { BucketLimit } from './limits/token-bucket.ts'
import { objectSql } from './object-sql.ts'
import { comeBack } from './protocol/error.ts'
import { publish } from './publish.ts'
import { commitAndPull, hasOtherTables, type Joined, type Pull } from './pull.ts'
import { Overlay } from './push/overlay.ts'
import { UserRecord } from './record.ts'
import { Sessions } from './sessions.ts'
import { syncedTables } from './synced-tables.ts'
import { type GenerationBindings, Generations } from './turns/generations.ts'
import { dueQueued, hasQueue, nextLookAt, queueTables } from './turns/queue.ts'
import { changedThreads, firstOrders, type TurnCall, threadsInFlight, turnCalls } from './turns/turn-calls.ts'
import { firstTurnCheckAt } from './turns/watch.ts'
import { openUserState, type UserState } from './user-state.ts'

export type SyncEnv = DatabaseBindings & HintBindings & GenerationBindings

export type Commit = Joined & {
  /** Joins the storage transaction that takes in the answer; `version` is above what any client has heard of. */
  readonly edit?: (pull: Pull, version: Version) => void
  /** Looks at every thread in flight instead of those that changed. */
  readonly isRecovery?: boolean
  /** What is committed opens turns. */
  readonly opensTurns?: boolean
}

/** Ours: pages follow each other without it. */
const importCheckMs = 5000
/** Ours: by then a question has left, and the first word of a vendor that answers at once. Nobody sees a row so much later. */
const headStartMs = 4

const nobody: ReadonlySet<string> = new Set()

export class UserContext {
  readonly state: UserState
  readonly sessions: Sessions
  readonly alarm: Alarm
  readonly record: UserRecord
  readonly quota: MutationQuota
  readonly hints: HintWriter
  readonly #generations: Generations
  /** Whether the feed was read since this object woke; a hint that came while it slept may have been lost. */
  #isFresh = false
  /** Whether D1 gave what it was last asked for. */
  #isAnswered = true
  /** Rows came that may let a queued message begin. */
  #isQueueHinted = false
  #openTurns: readonly ReservedTurn[] = []
  /** When the alarm was told to look after a turn whose batch is not answered. */
  #turnExpectedAt: number | null = null

  constructor(ctx: DurableObjectState, env: SyncEnv, userId: string, mutationLimit: BucketLimit) {
    this.state = openUserState(objectSql(ctx.storage))
    this.sessions = new Sessions(ctx, (groupID) => this.state.groups.stopClock(groupID, Date.now()))
    this.alarm = new Alarm(ctx.storage, this.state.meta)
    this.record = new UserRecord(env, userId)
    this.quota = new MutationQuota(this.state.meta, mutationLimit)
    const inBackground = (work: Promise<unknown>) => ctx.waitUntil(work)
    this.hints = new HintWriter({ env, userId, state: this.state, inBackground })
    const hosts = () => [...new Set(this.sessions.all().flatMap(({ host }) => host ?? []))]
    const sessions = () => [...new Set(this.sessions.all().map(({ sessionId }) => sessionId))]
    this.#generations = new Generations({ env, userId, hosts, sessions, inBackground })
  }

  get userId(): string {
    return this.record.userId
  }

  /** What the life before this one left behind. */
  wake(): void {
    const { sessions, state } = this
    state.groups.stopClocksExcept(new Set(sessions.all().map(({ groupID }) => groupID)))
    // It ended in the middle of what it said to them; what comes next would not fit to it.
    for (const session of sessions.all()) if (session.isHalfTold) sessions.close(session, 1000, 'interrupted')
  }

  /** Commits what is to be committed, pulls, and takes in the answer. */
  async commit({ edit, isRecovery = false, opensTurns = false, ...joined }: Commit = {}): Promise<Pull> {
    const { engine, meta } = this.state
    const versionBefore = engine.version
    const openBefore = opensTurns && this.#isFresh ? this.#openTurns : null
    const isLong = hasOtherTables(this.state)
    if (isLong) await this.#watchImport()
    const pull = await commitAndPull(this.state, this.record, joined)
    if (isLong) meta.setDeadline('import', null)
    if (pull.isRestored) this.#sendAway()
    const ordered = openBefore && !this.isImporting ? await this.#orderFirst(firstOrders(engine, this.userId, pull, openBefore)) : nobody
    let calls: readonly TurnCall[] = []
    let isQueueDue = false
    let lookAt: number | null = null
    let isHintLater = false
    const take = () => {
      const changed = engine.apply(pull.changes)
      meta.watermarks = pull.watermarks
      // Rows that changed have taken a version already.
      edit?.(pull, changed.length > 0 ? engine.version : engine.nextVersion())
      // Turns are derived from rows, and not from half of them.
      if (this.isImporting) return
      if (engine.version > versionBefore) isHintLater = offerHint(this)
      // An object that lost its storage has also lost the deadline by which its alarm looks after them.
      const isForgotten = !this.#isFresh && pull.openTurns.length > 0 && meta.deadline('turns') === null
      const threads = isRecovery || isForgotten ? threadsInFlight(engine, pull.openTurns) : changedThreads(changed)
      const rows = new Overlay(engine, syncedTables)
      calls = turnCalls(
        rows,
        this.userId,
        threads,
        pull.openTurns.filter(({ generationId }) => !ordered.has(generationId)),
      )
      this.#isQueueHinted ||= isRecovery || !this.#isFresh || changed.some(({ table }) => queueTables.has(table))
      if (this.#isQueueHinted) {
        const nowMs = Date.now()
        isQueueDue = dueQueued(engine, this.userId, nowMs).length > 0
        lookAt = nextLookAt(engine, this.userId, nowMs)
        if (lookAt !== meta.deadline('held')) meta.setDeadline('held', lookAt)
      }
      if (ordered.size > 0 || calls.length > 0 || isQueueDue) this.#watchTurns()
      if (threads.length > 0 && !isQueueDue && pull.openTurns.length === 0) meta.setDeadline('turns', null)
    }
    await this.publish(() => meta.together(take))
    this.#isFresh = true
    this.#isAnswered = true
    this.#openTurns = pull.openTurns
    this.#turnExpectedAt = null
    this.#generations.tell(calls, 'again')
    this.hints.send()
    if (this.isImporting) await this.#watchImport()
    if (ordered.size > 0 || calls.length > 0 || isQueueDue || lookAt !== null || isHintLater) await this.alarm.arm()
    return pull
  }

  /** The first message after a wake must not answer from rows that a lost hint left old. */
  async refresh(): Promise<void> {
    if (!this.#isFresh) await this.commit()
  }

  /** Whether rows are still missing: nothing may be decided yet that depends on them. */
  get isImporting(): boolean {
    return this.state.meta.importing.cursors.length > 0
  }

  /** Whether to read the next pages now. When D1 did not answer, that is the alarm's affair until it does. */
  get mayImport(): boolean {
    return this.#isAnswered && this.isImporting
  }

  /** Reads and tells the next pages; after the last of them, what had to wait. False when D1 does not answer: the alarm asks it again. */
  async importOn(): Promise<boolean> {
    if (hasOtherTables(this.state)) {
      await this.commit({ isRecovery: true })
      return true
    }
    await this.#watchImport()
    const pages = await readOn(this.state, this.record).catch((error: unknown) => {
      logger.warn('import interrupted', { error: String(error) })
      this.#isAnswered = false
      return null
    })
    if (!pages) return false
    this.#isAnswered = true
    await this.publish(() => takePages(this.state, pages))
    if (this.isImporting) return true
    this.state.meta.setDeadline('import', null)
    const { version } = this.state.engine
    await this.commit({ isRecovery: true })
    // Of what the pages brought no hint was written while others were missing.
    if (this.state.engine.version === version) await keepHint(this, 'rows')
    return true
  }

  /** Before anything is decided on rows: the replica was read since this object woke. False while some are missing: others come first. */
  async prepare(): Promise<boolean> {
    await this.refresh()
    if (this.isImporting && !this.mayImport && !(await this.importOn())) throw new Error('the record cannot be read')
    return !this.isImporting
  }

  /** Somebody wrote rows. What cannot be read now is the alarm's to read. */
  async takeHint(): Promise<void> {
    try {
      await this.commit()
    } catch (error) {
      this.#watchTurns()
      await this.alarm.arm()
      throw error
    }
  }

  /** Nobody is connected and nothing is queued: the next connection reads what is new. */
  get isIdle(): boolean {
    return this.sessions.all().length === 0 && !hasQueue(this.state.engine)
  }

  /** Whether nobody is behind this object any more: no connection, and no such person in the record, which was read and said so. */
  get isNobodys(): boolean {
    const { sessions, state, userId } = this
    return this.#isFresh && sessions.all().length === 0 && !this.isImporting && state.engine.get('user', { id: userId }) === undefined
  }

  /** As of the last commit. */
  get openTurns(): readonly ReservedTurn[] {
    return this.#openTurns
  }

  /** Whether to ask the queue what is due; whoever takes the hint does. */
  takeQueueHint(): boolean {
    const isHinted = this.#isQueueHinted && !this.isImporting
    this.#isQueueHinted = false
    return isHinted
  }

  async publish(edit: () => void, greeted?: WebSocket): Promise<void> {
    try {
      await publish(this.state, this.sessions, edit, greeted)
    } catch (error) {
      // The transaction is undone; what the engine remembers of it is not.
      this.reset()
      throw error
    }
  }

  /**
   * Before a batch that opens a turn: whatever happens to this object from here on, the alarm looks after it. What it looks for is
   * stored with the turn; until then it is enough that it rings, see `mayMissTurns`.
   */
  async expectTurn(): Promise<void> {
    this.#turnExpectedAt ??= firstTurnCheckAt(Date.now())
    await this.alarm.ringBy(this.#turnExpectedAt)
  }

  /** Whether there may be turns that this object knows nothing of: it has just woken, or a batch was not answered. An import ends with them. */
  get mayMissTurns(): boolean {
    return !this.isImporting && (!this.#isFresh || this.#turnExpectedAt !== null)
  }

  #watchTurns(): void {
    const { meta } = this.state
    if (meta.deadline('turns') === null) meta.setDeadline('turns', this.#turnExpectedAt ?? firstTurnCheckAt(Date.now()))
  }

  /** Should this object die, or D1 not answer, the alarm goes on with the import. */
  async #watchImport(): Promise<void> {
    this.state.meta.setDeadline('import', Date.now() + importCheckMs)
    await this.alarm.arm()
  }

  /** The record is an earlier one, although its feed says nothing of it: nothing here is trusted any more. */
  startAnew(): void {
    forgetEverything(this.state)
    // No rows are left that could be followed: the next pull imports.
    this.state.meta.shape = ''
    this.reset()
    this.#sendAway()
  }

  #sendAway(): void {
    for (const session of this.sessions.all()) this.sessions.fail(session, comeBack('the record was restored'))
  }

  /** Drops what is in memory: SQL holds the truth. */
  reset(): void {
    this.state.engine.reset()
    this.state.meta.reset()
    this.hints.reset()
    this.state.clients.reset()
    this.state.groups.reset()
    this.#isFresh = false
  }

  /**
   * First of all: somebody is waiting for the first word. The platform holds back what an object says until what it wrote before is on the
   * disk, so this is said before the replica is written, and that work waits: it may be the writer's thread that it would be done on.
   */
  async #orderFirst(calls: readonly TurnCall[]): Promise<ReadonlySet<string>> {
    if (calls.length === 0) return nobody
    this.#generations.tell(calls, 'first')
    await scheduler.wait(headStartMs)
    return new Set(calls.map(({ generationId }) => generationId))
  }
}

/**
 * What every beat of one user's object works with, and the one way rows get into it: a D1 batch, then one storage transaction with
 * all that the batch brought, then pokes and generation calls. The replica is fed from D1's answers and from nothing else.
 */
import type { GenerationCalls } from '../contract/turn.ts'
import type { HintBindings } from '../db/first-page-hint.ts'
import type { DatabaseBindings } from '../db/shards.ts'
import { logger } from '../lib/logger.ts'
import { Alarm } from './alarm.ts'
import { HintWriter } from './hint-writer.ts'
import { MutationQuota } from './limits/mutation-quota.ts'
import type { BucketLimit } from './limits/token-bucket.ts'
import { objectSql } from './object-sql.ts'
import { publish } from './publish.ts'
import { commitAndPull, type Joined, type Pull } from './pull.ts'
import { UserRecord } from './record.ts'
import { Sessions } from './sessions.ts'
import { dueQueued } from './turns/queue.ts'
import { changedThreads, type TurnCall, threadsInFlight, turnCalls } from './turns/turn-calls.ts'
import { firstTurnCheckAt } from './turns/watch.ts'
import { openUserState, type UserState } from './user-state.ts'

export type SyncEnv = DatabaseBindings & HintBindings & { readonly GENERATION: { getByName(generationId: string): GenerationCalls } }

export type Commit = Joined & {
  /** Joins the storage transaction that takes in the answer. */
  readonly edit?: (pull: Pull) => void
  /** Looks at every thread in flight instead of those that changed. */
  readonly isRecovery?: boolean
}

export class UserContext {
  readonly state: UserState
  readonly sessions: Sessions
  readonly alarm: Alarm
  readonly record: UserRecord
  readonly quota: MutationQuota
  readonly hints: HintWriter
  readonly #ctx: DurableObjectState
  readonly #env: SyncEnv
  /** Whether the feed was read since this object woke; a hint that came while it slept may have been lost. */
  #isFresh = false
  /** Rows came that may let a queued message begin. */
  #isQueueHinted = false

  constructor(ctx: DurableObjectState, env: SyncEnv, userId: string, mutationLimit: BucketLimit) {
    this.#ctx = ctx
    this.#env = env
    this.state = openUserState(objectSql(ctx.storage))
    this.sessions = new Sessions(ctx)
    this.alarm = new Alarm(ctx.storage, this.state.meta)
    this.record = new UserRecord(env, userId)
    this.quota = new MutationQuota(this.state.meta, mutationLimit)
    this.hints = new HintWriter({ env, userId, state: this.state, inBackground: (work) => ctx.waitUntil(work) })
  }

  get userId(): string {
    return this.record.userId
  }

  /** Commits what is to be committed, pulls, and takes in the answer. */
  async commit({ edit, isRecovery = false, ...joined }: Commit = {}): Promise<Pull> {
    const { engine, meta } = this.state
    const versionBefore = engine.version
    const pull = await commitAndPull(this.state, this.record, joined)
    let calls: readonly TurnCall[] = []
    let isQueueDue = false
    this.publish(() => {
      const changed = engine.apply(pull.changes)
      meta.watermarks = pull.watermarks
      edit?.(pull)
      const threads = isRecovery ? threadsInFlight(engine) : changedThreads(changed)
      calls = turnCalls(engine, this.userId, threads, pull.openTurns)
      this.#isQueueHinted ||= isRecovery || !this.#isFresh || changed.some(({ table }) => table === 'thread' || table === 'queuedMessage')
      isQueueDue = this.#isQueueHinted && dueQueued(engine).length > 0
      if (threads.length > 0 && !isQueueDue && threadsInFlight(engine).length === 0) meta.setDeadline('turns', null)
    })
    this.#isFresh = true
    if (engine.version > versionBefore) await this.keepHint('rows')
    if (calls.length > 0 || isQueueDue) await this.watchTurns()
    if (calls.length > 0) this.#ctx.waitUntil(Promise.all(calls.map((call) => this.#tell(call))))
    return pull
  }

  /** The first message after a wake must not answer from rows that a lost hint left old. */
  async refresh(): Promise<void> {
    if (!this.#isFresh) await this.commit()
  }

  /** Whether to ask the queue what is due; whoever takes the hint does. */
  takeQueueHint(): boolean {
    const isHinted = this.#isQueueHinted
    this.#isQueueHinted = false
    return isHinted
  }

  publish(edit: () => void, greeted?: WebSocket): void {
    try {
      publish(this.state, this.sessions, edit, greeted)
    } catch (error) {
      // The transaction is undone; what the engine remembers of it is not.
      this.reset()
      throw error
    }
  }

  /** The first page in KV follows what has changed, now or by the alarm. Nobody waits for KV. */
  async keepHint(news: 'rows' | 'connection'): Promise<void> {
    const { hints, sessions, alarm } = this
    const sessionIds = sessions.all().map(({ sessionId }) => sessionId)
    const isLater = news === 'rows' ? hints.offer(sessionIds, Date.now()) : hints.joined(sessionIds, Date.now())
    if (isLater) await alarm.arm()
  }

  /** Makes sure that the alarm looks after turns, whatever happens to this object from here on. */
  async watchTurns(): Promise<void> {
    const { meta } = this.state
    if (meta.deadline('turns') === null) meta.setDeadline('turns', firstTurnCheckAt(Date.now()))
    await this.alarm.arm()
  }

  /** Drops what is in memory: SQL holds the truth. */
  reset(): void {
    this.state.engine.reset()
    this.#isFresh = false
  }

  /** Not awaited under the lock: the generation reports back through it. A call that fails is repeated by the alarm. */
  async #tell(call: TurnCall): Promise<void> {
    const { generationId } = call
    try {
      const generation = this.#env.GENERATION.getByName(generationId)
      if (call.type === 'ensure') await generation.ensure(call.order)
      else await generation.stop(generationId, this.userId)
    } catch (error) {
      logger.error('turn call failed', error, { generationId, type: call.type })
    }
  }
}

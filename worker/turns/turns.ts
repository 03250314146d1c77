/**
 * Turns of a user, derived from rows: after every commit, the generations of changed threads are started or stopped, and queued messages that
 * may begin are sent. The alarm repairs lost notifications and failed calls (SPEC T1 to T5, U1).
 */
import { maxStreamReaders, streamWaitMs } from '../contract/limits.ts'
import type { GenerationCalls } from '../contract/threads/turn.ts'
import type { ReservedTurn } from '../db/turns.ts'
import { generationStub, type ObjectNamespace } from '../lib/generation-stub.ts'
import { logger } from '../lib/logger.ts'
import { PendingReaders } from '../lib/pending-readers.ts'
import type { Engine } from '../sync/engine/types.ts'
import type { CommitEvent, Feature } from '../sync/object/app.ts'
import { commit } from '../sync/object/commit.ts'
import type { UserContext } from '../sync/object/context.ts'
import type { Applied } from '../sync/pull/source.ts'
import { dueQueued, hasQueue, nextQueueCheckAt, queueTables, sendQueued } from './queue.ts'
import { effectsOf } from './server-mutators.ts'
import { changedThreads, type TurnCommand, threadsInFlight, turnCommands } from './turn-commands.ts'

/** Chosen. A generation reports its own end; the alarm is for reports that were lost and calls that failed. */
const firstCheckMs = 5_000
const youngCheckMs = 10_000
const oldCheckMs = 60_000
const youngMs = 5 * 60_000

export const firstTurnCheckAt = (nowMs: number): number => nowMs + firstCheckMs

/** Null when nothing is in flight. A turn that has been open for long is checked less often. */
export function nextTurnCheckAt(threads: readonly { readonly updatedAt: number }[], nowMs: number): number | null {
  if (threads.length === 0) return null
  const isYoung = threads.some(({ updatedAt }) => nowMs - updatedAt < youngMs)
  return nowMs + (isYoung ? youngCheckMs : oldCheckMs)
}

const openedIn = (applied: readonly Applied[]): readonly string[] =>
  applied.flatMap((one) => effectsOf(one).opened.map(({ turn }) => turn.generationId))

/** The user's open turns, as of the last commit. */
type OpenTurns = { readonly openTurns: readonly ReservedTurn[] }

export class Turns implements Feature {
  readonly alarms = {
    turns: (nowMs: number) => this.#checkTurns(nowMs),
    held: (nowMs: number) => this.#checkHeld(nowMs),
  }
  readonly #context: UserContext
  readonly #source: OpenTurns
  readonly #generations: GenerationClient
  readonly #pendingReaders = new PendingReaders()
  /** Calls of the commit that is being applied. */
  #commands: readonly TurnCommand[] = []
  /** The next commit looks at every thread in flight instead of those that changed. */
  #checksAllTurns = false
  /** Rows changed that may let a queued message begin. */
  #queueMayBeDue = false
  /** When the alarm fires for turns of a commit whose answer has not arrived. */
  #expectedAt: number | null = null

  constructor(context: UserContext, source: OpenTurns, env: GenerationBindings) {
    this.#context = context
    this.#source = source
    const { connections, userId } = context
    const sessionIds = () => [...new Set(connections.all().map(({ sessionId }) => sessionId))]
    const inBackground = (work: Promise<unknown>) => context.inBackground(work)
    this.#generations = new GenerationClient({ env, userId, sessions: sessionIds, inBackground })
  }

  /** Schedules the alarm before the commit. If the answer of the commit is lost, the alarm finds the opened turns. */
  async beforeCommit(applied: readonly Applied[]): Promise<void> {
    if (openedIn(applied).length === 0) return
    this.#expectedAt ??= firstTurnCheckAt(Date.now())
    await this.#context.alarm.scheduleBefore(this.#expectedAt)
  }

  /** There may be turns that the object has not read: it has just woken, or a commit was not answered. */
  dueAlarms(): readonly string[] {
    const { isImporting, hasPulledSinceWake } = this.#context
    return !isImporting && (!hasPulledSinceWake || this.#expectedAt !== null) ? ['turns'] : []
  }

  onCommit({ changes, isFirstSinceWake, isAfterImport }: CommitEvent): void {
    const { state, userId } = this.#context
    const { engine, meta } = state
    const { openTurns } = this.#source
    // After a storage loss the `turns` alarm is missing; check all open turns.
    const isAlarmMissing = isFirstSinceWake && openTurns.length > 0 && meta.alarmAt('turns') === null
    const checksAllTurns = this.#checksAllTurns || isAfterImport
    const threads = checksAllTurns || isAlarmMissing ? threadsInFlight(engine, openTurns) : changedThreads(changes)
    this.#commands = turnCommands(engine, userId, threads, openTurns)
    this.#queueMayBeDue ||= checksAllTurns || isFirstSinceWake || changes.some(({ table }) => queueTables.has(table))
    const isQueueDue = this.#queueMayBeDue && this.#updateQueueAlarm(engine)
    if (this.#commands.length > 0 || isQueueDue) this.#scheduleTurnsAlarm()
    if (threads.length > 0 && !isQueueDue && openTurns.length === 0) meta.setAlarmAt('turns', null)
  }

  afterCommit(): void {
    const commands = this.#commands
    this.#commands = []
    this.#checksAllTurns = false
    this.#expectedAt = null
    this.#generations.send(commands)
    this.#pendingReaders.check()
  }

  async afterTask(): Promise<void> {
    await sendQueued(this.#context, () => this.#consumeQueueCheck())
  }

  /** For a stream reader that arrives before its turn. Null if no commit opens the turn in time; `full` if too many readers wait. */
  async awaitTurn(generationId: string): Promise<ReservedTurn | 'full' | null> {
    const find = () => this.#source.openTurns.find((turn) => turn.generationId === generationId)
    if (!find() && this.#pendingReaders.count >= maxStreamReaders) return 'full'
    await this.#pendingReaders.wait(() => find() !== undefined, streamWaitMs)
    return find() ?? null
  }

  needsNotifications(): boolean {
    return hasQueue(this.#context.state.engine)
  }

  reset(): void {
    this.#commands = []
  }

  async #checkTurns(nowMs: number): Promise<void> {
    const { state, userId } = this.#context
    // Before the attempt, so that another one follows a failure.
    state.meta.setAlarmAt('turns', firstTurnCheckAt(nowMs))
    this.#checksAllTurns = true
    await commit(this.#context)
    await this.afterTask()
    // A held message was tried just now. Changed rows and the reset try it again.
    const queued = dueQueued(state.engine, userId, Date.now()).flatMap(({ createdAt, hold }) => (hold ? [] : [{ updatedAt: createdAt }]))
    const threads = threadsInFlight(state.engine, this.#source.openTurns)
    state.meta.setAlarmAt('turns', nextTurnCheckAt([...threads, ...queued], Date.now()))
  }

  /** The day's limits were reset. */
  async #checkHeld(nowMs: number): Promise<void> {
    // Before the attempt, as above. The commit sets the next time, or none.
    this.#context.state.meta.setAlarmAt('held', firstTurnCheckAt(nowMs))
    this.#checksAllTurns = true
    await commit(this.#context)
  }

  /** True if a queued message is due. */
  #updateQueueAlarm(engine: Engine): boolean {
    const { state, userId } = this.#context
    const nowMs = Date.now()
    state.meta.setAlarmAt('held', nextQueueCheckAt(engine, userId, nowMs))
    return dueQueued(engine, userId, nowMs).length > 0
  }

  #scheduleTurnsAlarm(): void {
    const { meta } = this.#context.state
    if (meta.alarmAt('turns') === null) meta.setAlarmAt('turns', this.#expectedAt ?? firstTurnCheckAt(Date.now()))
  }

  #consumeQueueCheck(): boolean {
    const mayBegin = this.#queueMayBeDue && !this.#context.isImporting
    this.#queueMayBeDue = false
    return mayBegin
  }
}

export type GenerationBindings = { readonly GENERATION: ObjectNamespace<GenerationCalls> }

type GenerationsDeps = {
  readonly env: GenerationBindings
  readonly userId: string
  /** The sessions of the connected browsers. */
  readonly sessions: () => readonly string[]
  /** Keeps the object alive until the work is done. Nothing waits for it. */
  readonly inBackground: (work: Promise<unknown>) => void
}

/** Commands of a user's object to the generations of the user's turns. */
export class GenerationClient {
  readonly #deps: GenerationsDeps
  /** Turns whose command has failed once. */
  readonly #failedOnce = new Set<string>()

  constructor(deps: GenerationsDeps) {
    this.#deps = deps
  }

  /** Not awaited under the lock, because a generation reports back through it. The alarm repeats a failed call. */
  send(commands: readonly TurnCommand[]): void {
    if (commands.length > 0) this.#deps.inBackground(Promise.all(commands.map((command) => this.#send(command))))
  }

  async #send(command: TurnCommand): Promise<void> {
    const { env, userId, sessions } = this.#deps
    const { generationId, objectId } = command
    const generation = generationStub(env.GENERATION, objectId)
    // A turn without an object is ended by the scheduled job.
    if (!generation) return logger.warn('turn_without_object', { generationId })
    try {
      if (command.type === 'start') await generation.start({ ...command.command, sessions: sessions() })
      else if (command.type === 'fail') await generation.recover(generationId, userId, command.reason)
      else await generation.stop(generationId, userId)
      this.#failedOnce.delete(generationId)
    } catch (error) {
      logger.error('turn_command_failed', error, { generationId, type: command.type })
      if (command.type !== 'start') return
      // A repeated failure may be permanent: the turn ends as interrupted, unless its generation received the command and is running.
      if (this.#failedOnce.has(generationId)) await generation.recover(generationId, userId).catch(() => undefined)
      else this.#failedOnce.add(generationId)
    }
  }
}

/**
 * The state and services of one user's object. `commit` is the only way for rows into the replica. It names the steps of a mutation
 * after the mutators: commit to the source and read its feed, apply the feed to the replica, notify the features, send pokes.
 */
import { logger } from '../../lib/logger.ts'
import type { Version } from '../engine/types.ts'
import { publish } from '../poke/poke.ts'
import { serverOverloaded } from '../protocol/down.ts'
import { applyPages, readNextPages, resetReplica } from '../pull/import.ts'
import { applyPull, type CommitPart, commitAndPull, hasOtherTables, type Pull } from '../pull/pull.ts'
import type { Applied, Source } from '../pull/source.ts'
import { Alarm } from '../state/alarms.ts'
import { type Connection, Connections } from '../state/connections.ts'
import { MutationRateLimiter } from '../state/mutation-rate-limiter.ts'
import { objectSql, openUserState, type UserState } from '../state/user-state.ts'
import type { CommitEvent, Feature, SyncApp } from './app.ts'

type Commit = CommitPart & {
  /** Runs in the storage transaction that applies the pull. `version` is above every version sent to clients. */
  readonly edit?: (pull: Pull, version: Version) => void
  readonly isAfterImport?: boolean
}

type ContextDeps = {
  readonly ctx: DurableObjectState
  readonly app: SyncApp
  readonly source: Source
  readonly features: (context: UserContext) => readonly Feature[]
}

/** Chosen: when the alarm continues an import that was interrupted. */
const importRetryMs = 5000
/** Chosen: when the alarm pulls again after the pull of a notification failed. */
const pullRetryMs = 5000

export class UserContext {
  readonly app: SyncApp
  readonly source: Source
  readonly state: UserState
  readonly connections: Connections
  readonly alarm: Alarm
  readonly quota: MutationRateLimiter
  readonly features: readonly Feature[]
  readonly #ctx: DurableObjectState
  /** The feed was read since the object woke; a notification before that may have been lost. */
  #hasPulled = false
  /** False after a failed read of an import, until the next read succeeds. */
  #isSourceAnswering = true

  constructor({ ctx, app, source, features }: ContextDeps) {
    this.#ctx = ctx
    this.app = app
    this.source = source
    this.state = openUserState(objectSql(ctx.storage), app)
    this.connections = new Connections(ctx, (groupID) => this.state.groups.stopClock(groupID, Date.now()))
    this.alarm = new Alarm(ctx.storage, this.state.meta)
    this.quota = new MutationRateLimiter(this.state.meta, app.limits.mutations)
    this.features = features(this)
  }

  get userId(): string {
    return this.source.userId
  }

  /** Cleans up after the object's last eviction. */
  wake(): void {
    const { connections, state } = this
    state.groups.stopClocksExcept(new Set(connections.all().map(({ groupID }) => groupID)))
    // A poke was interrupted; its client must reconnect.
    for (const connection of connections.all()) if (connection.pokeInProgress) connections.close(connection, 1000, 'interrupted')
  }

  async commit({ edit, isAfterImport = false, ...part }: Commit = {}): Promise<Pull> {
    const { state, features } = this
    const { engine, meta } = state
    const applied = (part.mutations ?? []).flatMap(({ outcome }): Applied[] => (outcome.type === 'applied' ? [outcome] : []))
    for (const feature of features) if (applied.length > 0) await feature.beforeCommit?.(applied)
    const versionBefore = engine.version
    const isReimport = hasOtherTables(state)
    if (isReimport) await this.#scheduleImportAlarm()
    const pull = await commitAndPull(state, this.source, part)
    if (isReimport) meta.setAlarmAt('import', null)
    if (pull.isRestored) this.#reconnectAll()
    const apply = () => {
      const changes = applyPull(state, this.source, pull)
      meta.setAlarmAt('pull', null)
      // If rows changed, reuse their version.
      edit?.(pull, changes.length > 0 ? engine.version : engine.nextVersion())
      const hasNewVersion = engine.version > versionBefore
      if (!this.isImporting) this.#notifyFeatures({ changes, hasNewVersion, isFirstSinceWake: !this.#hasPulled, isAfterImport })
    }
    await this.publish(() => meta.together(apply))
    this.#hasPulled = true
    this.#isSourceAnswering = true
    for (const feature of features) feature.afterCommit?.(applied)
    if (this.isImporting) await this.#scheduleImportAlarm()
    await this.alarm.arm()
    return pull
  }

  #notifyFeatures(event: CommitEvent): void {
    for (const feature of this.features) feature.onCommit?.(event)
  }

  /** Pulls once after a wake: a notification may have been lost, so the replica may be stale. */
  async pullAfterWake(): Promise<void> {
    if (!this.#hasPulled) await this.commit()
  }

  get hasPulledSinceWake(): boolean {
    return this.#hasPulled
  }

  /** The import is incomplete, so no decision may depend on rows of the replica. */
  get isImporting(): boolean {
    return this.state.meta.importing.cursors.length > 0
  }

  /** True if the next pages may be read now. False after a failed read: then only the alarm retries. */
  get mayImport(): boolean {
    return this.#isSourceAnswering && this.isImporting
  }

  /** Reads and publishes the next pages. False when the source does not answer: the alarm tries again. */
  async continueImport(): Promise<boolean> {
    if (hasOtherTables(this.state)) {
      await this.commit({ isAfterImport: true })
      return true
    }
    await this.#scheduleImportAlarm()
    const pages = await readNextPages(this.state, this.source).catch((error: unknown) => {
      logger.warn('import_interrupted', { error: String(error) })
      this.#isSourceAnswering = false
      return null
    })
    if (!pages) return false
    this.#isSourceAnswering = true
    await this.publish(() => applyPages(this.state, pages))
    if (this.isImporting) return true
    this.state.meta.setAlarmAt('import', null)
    await this.commit({ isAfterImport: true })
    return true
  }

  /**
   * Call before a decision on rows. Pulls after a wake, and imports the next pages if only the alarm would. False while the import is incomplete:
   * the caller must let other tasks run and retry.
   */
  async prepareReplica(): Promise<boolean> {
    await this.pullAfterWake()
    if (this.isImporting && !this.mayImport && !(await this.continueImport())) throw new Error('the source cannot be read')
    return !this.isImporting
  }

  /** Pulls after another writer changed rows. If the source does not answer, the alarm pulls again. */
  async onNotify(): Promise<void> {
    try {
      await this.commit()
    } catch (error) {
      this.state.meta.setAlarmAt('pull', Date.now() + pullRetryMs)
      await this.alarm.arm()
      throw error
    }
  }

  /** A notification can be ignored: no connection exists and no feature needs it. The next connect pulls. */
  get ignoresNotifications(): boolean {
    return this.connections.all().length === 0 && !this.features.some((feature) => feature.needsNotifications?.())
  }

  /** No connection exists, and the pulled replica does not contain the user. */
  get isOrphaned(): boolean {
    const { app, connections, state, userId } = this
    return this.#hasPulled && connections.all().length === 0 && !this.isImporting && (app.isUserDeleted?.(state.engine, userId) ?? false)
  }

  /** Publishes a change of desired queries. */
  async publishQueries(edit: () => void, newSocket?: WebSocket): Promise<void> {
    const { features, state } = this
    const update = () => {
      for (const feature of features) feature.onQueries?.()
    }
    await this.publish(() => {
      edit()
      state.meta.together(update)
    }, newSocket)
    await this.alarm.arm()
  }

  async publish(edit: () => void, newSocket?: WebSocket): Promise<void> {
    try {
      await publish(this.state, this.connections, edit, newSocket)
    } catch (error) {
      // Storage is rolled back; memory is not.
      this.reset()
      throw error
    }
  }

  /** Runs work that no task waits for, and keeps the object alive until it is done. */
  inBackground(work: Promise<unknown>): void {
    this.#ctx.waitUntil(work)
  }

  /** The alarm continues the import after an eviction or a failed read. */
  async #scheduleImportAlarm(): Promise<void> {
    this.state.meta.setAlarmAt('import', Date.now() + importRetryMs)
    await this.alarm.arm()
  }

  /** The source was restored although its feed does not show it. The next pull imports all rows. */
  resetReplica(): void {
    resetReplica(this.state)
    this.state.meta.shape = ''
    this.reset()
    this.#reconnectAll()
  }

  #reconnectAll(): void {
    for (const connection of this.connections.all()) this.connections.fail(connection, serverOverloaded('the database was restored'))
  }

  /** Drops what is in memory; it is read from SQL again. */
  reset(): void {
    this.state.engine.reset()
    this.state.meta.reset()
    this.state.groups.reset()
    for (const feature of this.features) feature.reset?.()
    this.#hasPulled = false
  }

  /** After a failed step: drops memory and closes the affected connections. Their clients reconnect, which restores them. */
  recover(error: unknown, step: string, affected: readonly Connection[]): void {
    logger.error('sync_step_failed', error, { step })
    this.reset()
    for (const connection of new Set(affected)) this.connections.fail(connection, serverOverloaded('the server could not finish a step'))
  }
}

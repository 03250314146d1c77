/** The state, services and connections of one user's object, and the recovery after a failed step. */
import { logger } from '../../lib/logger.ts'
import { publish } from '../poke/poke.ts'
import { serverOverloaded } from '../protocol/down.ts'
import { resetReplica } from '../pull/import.ts'
import type { Source } from '../pull/source.ts'
import { Alarm } from '../state/alarms.ts'
import { type Connection, Connections } from '../state/connections.ts'
import { MutationRateLimiter } from '../state/mutation-rate-limiter.ts'
import { objectSql, openUserState, type UserState } from '../state/user-state.ts'
import type { Feature, SyncApp } from './app.ts'

type ContextDeps = {
  readonly ctx: DurableObjectState
  readonly app: SyncApp
  readonly source: Source
  readonly features: (context: UserContext) => readonly Feature[]
}

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
  hasPulledSinceWake = false
  /** False after a failed read of an import, until the next read succeeds. */
  isSourceAnswering = true

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

  /** The import is incomplete, so no decision may depend on rows of the replica. */
  get isImporting(): boolean {
    return this.state.meta.importing.cursors.length > 0
  }

  /** A notification can be ignored: no connection exists and no feature needs it. The next connect pulls. */
  get ignoresNotifications(): boolean {
    return this.connections.all().length === 0 && !this.features.some((feature) => feature.needsNotifications?.())
  }

  /** No connection exists, and the pulled replica does not contain the user. */
  get isOrphaned(): boolean {
    const { app, connections, state, userId } = this
    return (
      this.hasPulledSinceWake && connections.all().length === 0 && !this.isImporting && (app.isUserDeleted?.(state.engine, userId) ?? false)
    )
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

  /** The source was restored although its feed does not show it. The next pull imports all rows. */
  resetReplica(): void {
    resetReplica(this.state)
    this.state.meta.shape = ''
    this.reset()
    this.reconnectAll()
  }

  reconnectAll(): void {
    for (const connection of this.connections.all()) this.connections.fail(connection, serverOverloaded('the database was restored'))
  }

  /** Drops what is in memory; it is read from SQL again. */
  reset(): void {
    this.state.engine.reset()
    this.state.meta.reset()
    this.state.groups.reset()
    for (const feature of this.features) feature.reset?.()
    this.hasPulledSinceWake = false
  }

  /** After a failed step: drops memory and closes the affected connections. Their clients reconnect, which restores them. */
  recover(error: unknown, step: string, affected: readonly Connection[]): void {
    logger.error('sync_step_failed', error, { step })
    this.reset()
    for (const connection of new Set(affected)) this.connections.fail(connection, serverOverloaded('the server could not finish a step'))
  }
}

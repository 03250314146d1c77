// The user's object under test: the real one, on a D1 that is watched.
import type { Env } from '../../worker/env.ts'
import { UserSync } from '../../worker/sync/user-sync.ts'
import { type DbWatch, watchDb } from './watched-db.ts'

export class WatchedUserSync extends UserSync {
  readonly watch: DbWatch
  /** Frames that arrived. */
  received = 0

  constructor(ctx: DurableObjectState, env: Env) {
    const watch: DbWatch = { faults: [], batches: [], singles: [], gate: null, sticksAt: null, hasStuck: false, failsAtBatch: null }
    super(ctx, { ...env, DB: watchDb(env.DB, watch) })
    this.watch = watch
  }

  override webSocketMessage(socket: WebSocket, frame: string | ArrayBuffer): Promise<void> {
    this.received += 1
    return super.webSocketMessage(socket, frame)
  }
}

// The user's object under test: the real one, on a D1 that is watched, for a person who may write as fast as a test likes.
import type { Env } from '../../worker/env.ts'
import { UserSync } from '../../worker/sync/user-sync.ts'
import { type DbWatch, watchDb } from './watched-db.ts'

const unlimited = { MUTATION_BURST: '1000000', MUTATIONS_PER_SECOND: '1000000' }
/** Where a test puts other limits, for the object's next life. */
export const limitsKey = 'limits of the test'

export class WatchedUserSync extends UserSync {
  readonly watch: DbWatch
  /** Frames that arrived. */
  received = 0

  constructor(ctx: DurableObjectState, env: Env) {
    const watch: DbWatch = { faults: [], batches: [], singles: [], gate: null, sticksAt: null, hasStuck: false }
    super(ctx, { ...env, ...(ctx.storage.kv.get<typeof unlimited>(limitsKey) ?? unlimited), DB: watchDb(env.DB, watch) })
    this.watch = watch
  }

  override webSocketMessage(socket: WebSocket, frame: string | ArrayBuffer): Promise<void> {
    this.received += 1
    return super.webSocketMessage(socket, frame)
  }
}

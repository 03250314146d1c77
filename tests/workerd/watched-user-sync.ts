// The user's object under test: the real one, on a D1 that is watched, for a person who may write as fast as a test likes.
import type { Env } from '../../worker/env.ts'
import { UserSync } from '../../worker/sync/user-sync.ts'
import { type DbWatch, watchDb } from './watched-db.ts'

const unlimited = { MUTATION_BURST: '1000000', MUTATIONS_PER_SECOND: '1000000' }
/** Where a test puts other limits, for the object's next life. */
export const limitsKey = 'limits of the test'
/** Set by a test whose directory is a database of its own, for the object's next life. */
export const directoryKey = 'a second database'

export class WatchedUserSync extends UserSync {
  readonly watch: DbWatch
  /** Frames that arrived. */
  received = 0
  /** What KV was given. */
  readonly hintPuts: readonly Put[]
  /** Set by a test: no generation takes an order. */
  readonly orders: { areRefused: boolean }

  constructor(ctx: DurableObjectState, env: Env & { readonly SECOND_DB: D1Database }) {
    const watch: DbWatch = { faults: [], batches: [], singles: [], gate: null, sticksAt: null, hasStuck: false, failsAtBatch: null }
    const hintPuts: Put[] = []
    const orders = { areRefused: false }
    super(ctx, {
      ...env,
      ...(env.HINTS ? { HINTS: countPuts(env.HINTS, hintPuts) } : {}),
      ...(ctx.storage.kv.get<typeof unlimited>(limitsKey) ?? unlimited),
      DB: watchDb(env.DB, watch),
      GENERATION: refusing(env.GENERATION, orders),
      ...(ctx.storage.kv.get(directoryKey) ? { DIRECTORY_DB: watchDb(env.SECOND_DB, watch) } : {}),
    })
    this.watch = watch
    this.hintPuts = hintPuts
    this.orders = orders
  }

  override webSocketMessage(socket: WebSocket, frame: string | ArrayBuffer): Promise<void> {
    this.received += 1
    return super.webSocketMessage(socket, frame)
  }
}

const refusing = (generations: Env['GENERATION'], orders: { readonly areRefused: boolean }): Env['GENERATION'] =>
  new Proxy(generations, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      if (name !== 'getByName' || !orders.areRefused) return member.bind(target)
      return (id: string) => {
        const generation = target.getByName(id)
        return {
          ensure: () => Promise.reject(new Error('the order is larger than a call can be')),
          stop: (...args: Parameters<typeof generation.stop>) => generation.stop(...args),
          recover: (...args: Parameters<typeof generation.recover>) => generation.recover(...args),
        }
      }
    },
  })

type Put = { readonly key: string; readonly landed: Promise<unknown> }

function countPuts(kv: KVNamespace, puts: Put[]): KVNamespace {
  return new Proxy(kv, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return (...args: unknown[]) => {
        const result: unknown = Reflect.apply(member, target, args)
        if (name === 'put') puts.push({ key: String(args[0]), landed: Promise.allSettled([result]) })
        return result
      }
    },
  })
}

// The user's object under test: the real one, on a watched D1, without the write rate limit.
import type { Env } from '../../worker/bindings.ts'
import { UserSync } from '../../worker/user-sync/user-sync.ts'
import { unlimitedConnects } from '../support/unlimited-connects.ts'
import { type DbWatch, watchDb } from './watched-db.ts'

/** Set by a test that uses the connect limits of the product, for the object's next instance. */
export const realConnectsKey = 'connect limits of the product'
const unlimited = { MUTATION_BURST: '1000000', MUTATIONS_PER_SECOND: '1000000' }
/** Stores other limits for the object's next instance. */
export const limitsKey = 'limits of the test'
/** Set by a test that watches the directory too, for the object's next instance. */
export const directoryKey = 'directory is watched'

export class WatchedUserSync extends UserSync {
  readonly watch: DbWatch
  /** Frames that arrived. */
  received = 0
  /** The values put into KV. */
  readonly firstPagePuts: readonly Put[]
  /** Set by a test: generations refuse startCommands. */
  readonly startCommands: { areRefused: boolean }
  /** Set by a test: the objects of the next turns. */
  readonly nextObjectIds: DurableObjectId[]

  constructor(ctx: DurableObjectState, env: Env) {
    const watch: DbWatch = {
      ...{ faults: [], batches: [], singles: [], gate: null, holdsAnswers: false, heldAnswers: [] },
      ...{ sticksAt: null, hasStuck: false, failsAtBatch: null },
    }
    const firstPagePuts: Put[] = []
    const startCommands = { areRefused: false }
    const nextObjectIds: DurableObjectId[] = []
    const objectEnv = {
      ...env,
      ...(env.FIRST_PAGES ? { FIRST_PAGES: countPuts(env.FIRST_PAGES, firstPagePuts) } : {}),
      ...(ctx.storage.kv.get<typeof unlimited>(limitsKey) ?? unlimited),
      ...watchedDatabases(env, watch, ctx.storage.kv.get(directoryKey) === true),
      GENERATION: watchedGenerations(env.GENERATION, startCommands, nextObjectIds),
    }
    super(ctx, objectEnv, ctx.storage.kv.get(realConnectsKey) ? undefined : unlimitedConnects)
    this.watch = watch
    this.firstPagePuts = firstPagePuts
    this.startCommands = startCommands
    this.nextObjectIds = nextObjectIds
  }

  async alarmAt(name: string): Promise<number | null> {
    return this.use(async ({ state }) => state.meta.alarmAt(name))
  }

  async setAlarmAt(name: string, atMs: number): Promise<void> {
    await this.use(async ({ state }) => state.meta.setAlarmAt(name, atMs))
  }

  override webSocketMessage(socket: WebSocket, frame: string | ArrayBuffer): Promise<void> {
    this.received += 1
    return super.webSocketMessage(socket, frame)
  }
}

/** The content databases; with `andDirectory` all of them. */
function watchedDatabases(env: Env, watch: DbWatch, andDirectory: boolean) {
  const isWatched = (name: string) => name.startsWith('CONTENT_DB_') || (andDirectory && name === 'DB')
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, db]) => (isWatched(name) ? [[name, watchDb(db as D1Database, watch)]] : [])),
  )
}

const watchedGenerations = (
  generations: Env['GENERATION'],
  startCommands: { readonly areRefused: boolean },
  nextObjectIds: DurableObjectId[],
): Env['GENERATION'] =>
  new Proxy(generations, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      if (name === 'newUniqueId') return () => nextObjectIds.shift() ?? target.newUniqueId()
      if (name !== 'get' || !startCommands.areRefused) return member.bind(target)
      return (id: DurableObjectId) => {
        const generation = target.get(id)
        return {
          start: () => Promise.reject(new Error('the command is larger than a call can be')),
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

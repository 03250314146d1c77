// The generation under test: the real one, on a D1 that can be told to fail before or after it has committed a batch, and with counters.

import type { Env } from '../../worker/bindings.ts'
import { findBetterTitle } from '../../worker/chat/better-title.ts'
import type { VendorModel } from '../../worker/chat/model/types.ts'
import type { ChatMessage } from '../../worker/contract/messages.ts'
import { Generation } from '../../worker/index.dev.ts'

/**
 * `lost`: the batch never arrived. `unheard`: it was committed, and the answer got lost. `stuck` and `stuck-after`: the same, and the
 * caller hears nothing, as if it had died there. `held`: it waits on its way until it is let go.
 */
export type BatchFault = 'lost' | 'unheard' | 'stuck' | 'stuck-after' | 'held'

/** A batch on its way, and what D1 makes of it when it arrives. */
type Held = { readonly letGo: () => Promise<'committed' | 'refused'> }

export class FaultyGeneration extends Generation {
  /** Taken by the next batches, in order. */
  readonly faults: BatchFault[]
  /** Batches that D1 has committed. */
  readonly committed: { count: number }
  /** Batches that nobody will hear of. */
  readonly stuck: { count: number }
  /** In the order in which they were sent. */
  readonly held: Held[]

  constructor(ctx: DurableObjectState, env: Env & { readonly CONTENT_DB_2: D1Database }) {
    const faults: BatchFault[] = []
    const committed = { count: 0 }
    const stuck = { count: 0 }
    const held: Held[] = []
    super(ctx, { ...env, CONTENT_DB_2: faultyDb(env.CONTENT_DB_2, { faults, committed, stuck, held }) })
    this.faults = faults
    this.committed = committed
    this.stuck = stuck
    this.held = held
  }

  /** From here on the models of the gateway are reached by way of `fetch`, which whoever tests may take the place of. */
  reachGateway(): void {
    this.env = { ...this.env, AI_GATEWAY_API_KEY: 'a key', AI_GATEWAY_URL: 'https://gateway.example/v4/ai' }
  }

  /** From here on what models make is stored there; null: no bucket is bound. */
  storeIn(bucket: R2Bucket | null): void {
    const { FILES: _own, ...env } = this.env
    this.env = bucket ? { ...env, FILES: bucket } : { ...env, DISABLED_FEATURES: 'files' }
  }

  /** The search for a title, beside any answer. Here, because what it stands on can be loaded from the bundle alone. */
  findTitle(turn: Parameters<typeof findBetterTitle>[1], model: VendorModel, history: readonly ChatMessage[]): void {
    findBetterTitle(this.env, turn, { model, requested: titleModel }, history)
  }
}

const titleModel = {
  ...{ model: 'mistral/ministral-8b', provider: 'gateway' },
  ...{ inputMicroDollarsPerMillionTokens: 150_000, outputMicroDollarsPerMillionTokens: 150_000 },
}

type Told = Pick<FaultyGeneration, 'faults' | 'committed' | 'stuck' | 'held'>

function faultyDb(db: D1Database, { faults, committed, stuck, held }: Told): D1Database {
  return new Proxy(db, {
    get(target, name) {
      if (name !== 'batch') {
        const value: unknown = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      }
      return async (statements: D1PreparedStatement[]) => {
        const fault = faults.shift()
        if (fault === 'lost') throw new Error('D1_ERROR: Network connection lost.')
        if (fault === 'stuck-after') await target.batch(statements)
        if (fault === 'stuck' || fault === 'stuck-after') {
          stuck.count += 1
          return new Promise<never>(() => undefined)
        }
        const commit = async () => {
          const results = await target.batch(statements)
          committed.count += 1
          return results
        }
        const results = await (fault === 'held' ? onItsWay(held, commit) : commit())
        if (fault === 'unheard') throw new Error('D1_ERROR: Network connection lost.')
        return results
      }
    },
  })
}

const onItsWay = <T>(held: Held[], commit: () => Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const letGo = () =>
      commit().then(
        (results) => {
          resolve(results)
          return 'committed' as const
        },
        (error: unknown) => {
          reject(error)
          return 'refused' as const
        },
      )
    held.push({ letGo })
  })

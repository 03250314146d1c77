// The generation under test: the real one, on a D1 that can fail before or after it has committed a batch, and with counters.

import type { Env } from '../../worker/bindings.ts'
import type { ProviderModel } from '../../worker/chat/model/types.ts'
import { findBetterTitle } from '../../worker/chat/turn/title.ts'
import type { ChatMessage } from '../../worker/contract/threads/messages.ts'
import { standIns } from '../../worker/dev/stand-ins.ts'
import { Generation } from '../../worker/index.dev.ts'
import { countingSource } from './approvals.ts'

/**
 * `lost`: the batch never arrived. `response-lost`: it was committed, and the response was lost. `stuck` and `stuck-after`: the same, and the
 * caller gets no response, as after a crash. `held`: it is delayed until it is released.
 */
export type BatchFault = 'lost' | 'response-lost' | 'stuck' | 'stuck-after' | 'held'

/** A delayed batch, and D1's result when it arrives. */
type Held = { readonly release: () => Promise<'committed' | 'refused'> }

export class FaultyGeneration extends Generation {
  /** Used by the next batches, in order. */
  readonly faults: BatchFault[]
  /** Batches that D1 has committed. */
  readonly committed: { count: number }
  /** Batches without a response. */
  readonly stuck: { count: number }
  /** In the order of sending. */
  readonly held: Held[]

  constructor(ctx: DurableObjectState, env: Env & { readonly CONTENT_DB_2: D1Database }) {
    const faults: BatchFault[] = []
    const committed = { count: 0 }
    const stuck = { count: 0 }
    const held: Held[] = []
    super(ctx, { ...env, CONTENT_DB_2: faultyDb(env.CONTENT_DB_2, { faults, committed, stuck, held }) })
    this.env = { ...this.env, STAND_INS: { ...standIns, tools: [countingSource] } }
    this.faults = faults
    this.committed = committed
    this.stuck = stuck
    this.held = held
  }

  /** From now on the models of the gateway use `fetch`, which the test may replace. */
  reachGateway(): void {
    this.env = { ...this.env, AI_GATEWAY_API_KEY: 'a key', AI_GATEWAY_URL: 'https://gateway.example/v4/ai' }
  }

  /** From now on generated files are stored there; null: no bucket is bound. */
  storeIn(bucket: R2Bucket | null): void {
    const { FILES: _own, ...env } = this.env
    this.env = bucket ? { ...env, FILES: bucket } : { ...env, DISABLED_FEATURES: 'files' }
  }

  /** Creates a title without an answer. Here, because its dependencies can be loaded from the bundle only. */
  findTitle(turn: Parameters<typeof findBetterTitle>[1], model: ProviderModel, history: readonly ChatMessage[]): void {
    findBetterTitle(this.env, turn, { model, requested: titleModel }, { history })
  }
}

const titleModel = {
  ...{ model: 'mistral/ministral-8b', provider: 'gateway' },
  ...{ inputMicroDollarsPerMillionTokens: 150_000, outputMicroDollarsPerMillionTokens: 150_000 },
}

type FaultState = Pick<FaultyGeneration, 'faults' | 'committed' | 'stuck' | 'held'>

function faultyDb(db: D1Database, { faults, committed, stuck, held }: FaultState): D1Database {
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
        const results = await (fault === 'held' ? holdCommit(held, commit) : commit())
        if (fault === 'response-lost') throw new Error('D1_ERROR: Network connection lost.')
        return results
      }
    },
  })
}

const holdCommit = <T>(held: Held[], commit: () => Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const release = () =>
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
    held.push({ release })
  })

// The generation under test: the real one, on a D1 that can be told to fail before or after it has committed a batch, and with counters.
import { Generation } from '../../worker/chat/generation.ts'
import type { Env } from '../../worker/env.ts'

/** `lost`: the batch never arrived. `unheard`: it was committed, and the answer got lost. */
export type BatchFault = 'lost' | 'unheard'

export class FaultyGeneration extends Generation {
  /** Taken by the next batches, in order. */
  readonly faults: BatchFault[]
  /** Batches that D1 has committed. */
  readonly committed: { count: number }

  constructor(ctx: DurableObjectState, env: Env) {
    const faults: BatchFault[] = []
    const committed = { count: 0 }
    super(ctx, { ...env, DB: faultyDb(env.DB, faults, committed) })
    this.faults = faults
    this.committed = committed
  }
}

function faultyDb(db: D1Database, faults: BatchFault[], committed: { count: number }): D1Database {
  return new Proxy(db, {
    get(target, name) {
      if (name !== 'batch') {
        const value: unknown = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      }
      return async (statements: D1PreparedStatement[]) => {
        const fault = faults.shift()
        if (fault === 'lost') throw new Error('D1_ERROR: Network connection lost.')
        const results = await target.batch(statements)
        committed.count += 1
        if (fault === 'unheard') throw new Error('D1_ERROR: Network connection lost.')
        return results
      }
    },
  })
}

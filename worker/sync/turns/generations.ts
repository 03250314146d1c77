/** What one person's object tells the generations of their turns. */
import type { GenerationCalls } from '../../contract/turn.ts'
import { logger } from '../../lib/logger.ts'
import type { TurnCall } from './turn-calls.ts'

export type GenerationBindings = { readonly GENERATION: { getByName(writer: string): GenerationCalls } }

type GenerationsDeps = {
  readonly env: GenerationBindings
  readonly userId: string
  /** The names under which this person's browsers reach us now. */
  readonly hosts: () => readonly string[]
  /** The sessions of those that are connected. */
  readonly sessions: () => readonly string[]
  /** Keeps the object alive until the work is done, and waits for nothing. */
  readonly inBackground: (work: Promise<unknown>) => void
}

export class Generations {
  readonly #deps: GenerationsDeps
  /** Turns whose order has failed once. */
  readonly #unordered = new Set<string>()

  constructor(deps: GenerationsDeps) {
    this.#deps = deps
  }

  /**
   * Not awaited under the lock: a generation reports back through it. A call that fails is repeated by the alarm. `first`: of each turn the
   * first order that there can have been.
   */
  tell(calls: readonly TurnCall[], time: 'first' | 'again'): void {
    if (calls.length > 0) this.#deps.inBackground(Promise.all(calls.map((call) => this.#tell(call, time === 'first'))))
  }

  async #tell(call: TurnCall, isFirst: boolean): Promise<void> {
    const { env, userId, hosts, sessions } = this.#deps
    const { generationId, writer } = call
    const generation = env.GENERATION.getByName(writer)
    try {
      if (call.type === 'ensure') await generation.ensure({ ...call.order, hosts: hosts(), sessions: sessions(), isFirst })
      else if (call.type === 'fail') await generation.recover(generationId, userId, call.reason)
      else await generation.stop(generationId, userId)
      this.#unordered.delete(generationId)
    } catch (error) {
      logger.error('turn call failed', error, { generationId, type: call.type })
      if (call.type !== 'ensure') return
      // What fails again may fail for ever: the turn ends as interrupted, unless its generation did hear of it and is at work.
      if (this.#unordered.has(generationId)) await generation.recover(generationId, userId).catch(() => undefined)
      else this.#unordered.add(generationId)
    }
  }
}

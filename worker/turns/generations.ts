/** Commands of a user's object to the generations of the user's turns. */
import type { GenerationCalls } from '../contract/turn.ts'
import { generationStub, type ObjectNamespace } from '../lib/generation-stub.ts'
import { logger } from '../lib/logger.ts'
import type { TurnCall } from './turn-calls.ts'

export type GenerationBindings = { readonly GENERATION: ObjectNamespace<GenerationCalls> }

type GenerationsDeps = {
  readonly env: GenerationBindings
  readonly userId: string
  /** The sessions of the connected browsers. */
  readonly sessions: () => readonly string[]
  /** Keeps the object alive until the work is done. Nothing waits for it. */
  readonly inBackground: (work: Promise<unknown>) => void
}

export class Generations {
  readonly #deps: GenerationsDeps
  /** Turns whose command has failed once. */
  readonly #unordered = new Set<string>()

  constructor(deps: GenerationsDeps) {
    this.#deps = deps
  }

  /** Not awaited under the lock, because a generation reports back through it. The alarm repeats a failed call. */
  send(calls: readonly TurnCall[]): void {
    if (calls.length > 0) this.#deps.inBackground(Promise.all(calls.map((call) => this.#send(call))))
  }

  async #send(call: TurnCall): Promise<void> {
    const { env, userId, sessions } = this.#deps
    const { generationId, writer } = call
    const generation = generationStub(env.GENERATION, writer)
    // A turn without an object is ended by the scheduled job.
    if (!generation) return logger.warn('turn has no generation object', { generationId })
    try {
      if (call.type === 'ensure') await generation.ensure({ ...call.order, sessions: sessions() })
      else if (call.type === 'fail') await generation.recover(generationId, userId, call.reason)
      else await generation.stop(generationId, userId)
      this.#unordered.delete(generationId)
    } catch (error) {
      logger.error('turn call failed', error, { generationId, type: call.type })
      if (call.type !== 'ensure') return
      // A repeated failure may be permanent: the turn ends as interrupted, unless its generation received the command and is running.
      if (this.#unordered.has(generationId)) await generation.recover(generationId, userId).catch(() => undefined)
      else this.#unordered.add(generationId)
    }
  }
}

/**
 * The models of one object's answers that were asked and have not begun to answer: so many at once, the other answers wait in line. It is the
 * first question of each answer that waits here; what a model is asked behind its tools has no place of its own. An object
 * has six connections that wait to be answered, and the platform lets a seventh wait without a word, be it one to D1. Here whoever waits
 * is known to wait: that is no silence of a model, it can be stopped, and it has an end with a reason.
 */
import { LongLineError } from './failures.ts'
import type { Later } from './storage.ts'
import { ConnectionGate } from './tools/connection-gate.ts'

export type InLine = { readonly signal: AbortSignal; readonly later: Later; readonly waitMs: number }

export class AskingLine {
  readonly #gate: ConnectionGate

  constructor(size: number) {
    this.#gate = new ConnectionGate(size)
  }

  /** Resolves when a model may be asked, with what to call once it has begun to answer or never will; once more does nothing. */
  enter({ signal, later, waitMs }: InLine): Promise<() => void> {
    return this.#gate.enter(async (turn) => {
      signal.throwIfAborted()
      const over = Promise.withResolvers<never>()
      const stopped = () => over.reject(signal.reason)
      signal.addEventListener('abort', stopped, { once: true })
      const cancel = later(waitMs, () => over.reject(new LongLineError('others were asked, and did not begin to answer')))
      try {
        await Promise.race([turn, over.promise])
      } finally {
        signal.removeEventListener('abort', stopped)
        cancel()
      }
    })
  }
}

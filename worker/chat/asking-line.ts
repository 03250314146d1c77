/**
 * The models of one object's answers that were asked and have not begun to answer: so many at once, the other requests wait in line, be they
 * the first of their answer or made behind its tools. An object has six connections that wait to be answered, and the platform lets a
 * seventh wait without a word, be it one to D1. Here whoever waits is known to wait: that is no silence of a model, it can be stopped, and
 * it has an end with a reason. Always holds: a request that waits has no place, neither its own nor one of an earlier step.
 */
import { LongLineError } from './model-errors.ts'
import { askedBy, type VendorModel } from './models/vendor-model.ts'
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

/** The same model, each of whose requests enters first and leaves when its vendor begins to answer, or never will: also once `signal` is aborted. */
export function askedInLine(model: VendorModel, enter: () => Promise<() => void>, signal: AbortSignal): VendorModel {
  const inside = async <T>(ask: (leave: () => void) => Promise<T>): Promise<T> => {
    const leave = await enter()
    // Not every vendor's package ends with its signal.
    signal.addEventListener('abort', leave, { once: true })
    try {
      signal.throwIfAborted()
      return await ask(leave)
    } finally {
      signal.removeEventListener('abort', leave)
      leave()
    }
  }
  return askedBy(model, {
    stream: (options) => inside(() => Promise.resolve(model.doStream(options))),
    listen: (listen) => (options, began, heard) =>
      inside((leave) => {
        const answered = () => {
          leave()
          began()
        }
        return listen(options, answered, heard)
      }),
  })
}

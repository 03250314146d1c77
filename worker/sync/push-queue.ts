/**
 * The object's lock, which protects everything between reading a message and having answered it. Pushes that wait one behind the other
 * become one task, and with it one D1 batch; nothing else overtakes or is overtaken.
 */
import { createSerial, type Serial } from '../lib/serial.ts'
import { maxMutationsPerBatch } from './protocol/limits.ts'
import type { PushedMutation } from './push/pending.ts'

export class PushQueue {
  readonly #serial: Serial = createSerial()
  readonly #apply: (pushed: readonly PushedMutation[]) => Promise<void>
  /** Mutations of the task at the end of the line, as long as it has not begun. */
  #waiting: { readonly pushed: PushedMutation[]; readonly done: Promise<void> } | null = null

  /** Mutations that are not done yet. */
  #length = 0

  constructor(apply: (pushed: readonly PushedMutation[]) => Promise<void>) {
    this.#apply = apply
  }

  get length(): number {
    return this.#length
  }

  run<T>(task: () => Promise<T>): Promise<T> {
    this.#waiting = null
    return this.#serial(task)
  }

  async push(pushed: readonly PushedMutation[]): Promise<void> {
    const parts: Promise<void>[] = []
    for (let at = 0; at < pushed.length; at += maxMutationsPerBatch) parts.push(this.#add(pushed.slice(at, at + maxMutationsPerBatch)))
    this.#length += pushed.length
    await Promise.all(parts).finally(() => {
      this.#length -= pushed.length
    })
  }

  #add(pushed: readonly PushedMutation[]): Promise<void> {
    const open = this.#waiting
    if (open && open.pushed.length + pushed.length <= maxMutationsPerBatch) {
      open.pushed.push(...pushed)
      return open.done
    }
    const collected = [...pushed]
    const done = this.#serial(() => {
      if (this.#waiting?.pushed === collected) this.#waiting = null
      return this.#apply(collected)
    })
    this.#waiting = { pushed: collected, done }
    return done
  }
}

/**
 * The object's lock, which protects everything between reading a message and having answered it. Pushes that wait one behind the other
 * become one task, and with it one D1 batch. No push overtakes another, and none is overtaken by anything but while it has to wait.
 */
import { createSerial, type Serial } from '../lib/serial.ts'
import { maxMutationsPerBatch } from './protocol/limits.ts'
import type { PushedMutation } from './push/pending.ts'

type Batch = { readonly pushed: PushedMutation[]; readonly done: PromiseWithResolvers<void> }

export class PushQueue {
  readonly #serial: Serial = createSerial()
  readonly #apply: (pushed: readonly PushedMutation[]) => Promise<'done' | 'later'>
  /** As many as tasks that serve one. */
  readonly #batches: Batch[] = []
  /** The batch at the end of the line, as long as it has not begun. */
  #open: Batch | null = null

  /** Mutations that are not done yet. */
  #length = 0

  /** `later`: the batch stays the first of all, and is tried again behind whoever waits now. */
  constructor(apply: (pushed: readonly PushedMutation[]) => Promise<'done' | 'later'>) {
    this.#apply = apply
  }

  get length(): number {
    return this.#length
  }

  run<T>(task: () => Promise<T>): Promise<T> {
    this.#open = null
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
    const open = this.#open
    if (open && open.pushed.length + pushed.length <= maxMutationsPerBatch) {
      open.pushed.push(...pushed)
      return open.done.promise
    }
    const batch: Batch = { pushed: [...pushed], done: Promise.withResolvers<void>() }
    this.#batches.push(batch)
    this.#open = batch
    this.#line()
    return batch.done.promise
  }

  /** Whoever waits for a batch sees its failure. */
  #line(): void {
    void this.#serial(() => this.#serveFirst())
  }

  async #serveFirst(): Promise<void> {
    const [batch] = this.#batches
    if (!batch) return
    if (this.#open === batch) this.#open = null
    try {
      if ((await this.#apply(batch.pushed)) === 'later') return this.#line()
      batch.done.resolve()
    } catch (error) {
      batch.done.reject(error)
    }
    this.#batches.shift()
  }
}

/**
 * The object's lock, which protects everything between reading a message and having answered it. Pushes that wait one behind the other
 * become one task, and with it one D1 batch. No push overtakes another, and none is overtaken by anything but while it has to wait.
 */
import { createSerial, type Serial } from '../lib/serial.ts'
import { fullWaitingChars, maxMutationsPerBatch, maxWaitingChars, maxWaitingMutations } from './protocol/limits.ts'
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
  /** Of the frames whose tasks are not done yet. */
  #chars = 0

  /** `later`: the batch stays the first of all, and is tried again behind whoever waits now. */
  constructor(apply: (pushed: readonly PushedMutation[]) => Promise<'done' | 'later'>) {
    this.#apply = apply
  }

  /** So much waits that whoever sends more has to wait with it. */
  get isLong(): boolean {
    return this.#length > maxWaitingMutations || this.#chars > maxWaitingChars
  }

  /** So much waits that no more is taken. */
  get isFull(): boolean {
    return this.#chars > fullWaitingChars
  }

  /** `chars`: of the frame that asks for it. */
  run<T>(task: () => Promise<T>, chars = 0): Promise<T> {
    this.#open = null
    return this.#held(this.#serial(task), 0, chars)
  }

  async push(pushed: readonly PushedMutation[], chars = 0): Promise<void> {
    const parts: Promise<void>[] = []
    for (let at = 0; at < pushed.length; at += maxMutationsPerBatch) parts.push(this.#add(pushed.slice(at, at + maxMutationsPerBatch)))
    await this.#held(Promise.all(parts), pushed.length, chars)
  }

  #held<T>(done: Promise<T>, length: number, chars: number): Promise<T> {
    this.#length += length
    this.#chars += chars
    return done.finally(() => {
      this.#length -= length
      this.#chars -= chars
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

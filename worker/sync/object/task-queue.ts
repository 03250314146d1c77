/**
 * The object's lock: one task at a time, from reading a message to the last frame of its answer. Consecutive waiting pushes become
 * one task, and so one commit. No push overtakes another.
 */
import { createSerial, type Serial } from '../../lib/serial.ts'
import { fullWaitingChars, maxMutationsPerBatch, maxWaitingChars, maxWaitingMutations } from '../protocol/wire-limits.ts'

type Batch<Mutation> = { readonly pushed: Mutation[]; readonly done: PromiseWithResolvers<void> }

export class TaskQueue<Mutation> {
  readonly #serial: Serial = createSerial()
  readonly #apply: (pushed: readonly Mutation[]) => Promise<'done' | 'later'>
  /** Waiting batches, one task each. */
  readonly #batches: Batch<Mutation>[] = []
  /** The batch at the end of the queue, until it is served or another task follows. */
  #open: Batch<Mutation> | null = null
  /** Mutations of tasks that are not done. */
  #mutations = 0
  /** Characters of their frames. */
  #chars = 0

  /** `later`: retry this batch after the tasks that are queued now. */
  constructor(apply: (pushed: readonly Mutation[]) => Promise<'done' | 'later'>) {
    this.#apply = apply
  }

  /** Senders wait until their frame is served. */
  get isLong(): boolean {
    return this.#mutations > maxWaitingMutations || this.#chars > maxWaitingChars
  }

  /** No frame is accepted. */
  get isFull(): boolean {
    return this.#chars > fullWaitingChars
  }

  /** `chars`: of the frame that caused the task. */
  run<T>(task: () => Promise<T>, chars = 0): Promise<T> {
    this.#open = null
    return this.#counted(this.#serial(task), 0, chars)
  }

  async push(pushed: readonly Mutation[], chars = 0): Promise<void> {
    const parts: Promise<void>[] = []
    for (let at = 0; at < pushed.length; at += maxMutationsPerBatch) parts.push(this.#add(pushed.slice(at, at + maxMutationsPerBatch)))
    await this.#counted(Promise.all(parts), pushed.length, chars)
  }

  #counted<T>(done: Promise<T>, mutations: number, chars: number): Promise<T> {
    this.#mutations += mutations
    this.#chars += chars
    return done.finally(() => {
      this.#mutations -= mutations
      this.#chars -= chars
    })
  }

  #add(pushed: readonly Mutation[]): Promise<void> {
    const open = this.#open
    if (open && open.pushed.length + pushed.length <= maxMutationsPerBatch) {
      open.pushed.push(...pushed)
      return open.done.promise
    }
    const batch: Batch<Mutation> = { pushed: [...pushed], done: Promise.withResolvers<void>() }
    this.#batches.push(batch)
    this.#open = batch
    this.#serve()
    return batch.done.promise
  }

  /** The senders of the batch receive its failure. */
  #serve(): void {
    void this.#serial(() => this.#serveFirst())
  }

  async #serveFirst(): Promise<void> {
    const [batch] = this.#batches
    if (!batch) return
    if (this.#open === batch) this.#open = null
    try {
      if ((await this.#apply(batch.pushed)) === 'later') return this.#serve()
      batch.done.resolve()
    } catch (error) {
      batch.done.reject(error)
    }
    this.#batches.shift()
  }
}

/** Drops a task if an equal one is already queued. */
export function coalesce(run: Serial): (task: () => Promise<unknown>) => Promise<unknown> {
  let isWaiting = false
  return async (task) => {
    if (isWaiting) return undefined
    isWaiting = true
    return run(() => {
      isWaiting = false
      return task()
    })
  }
}

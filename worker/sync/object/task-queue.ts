/**
 * The object's lock: one task at a time, from reading a message to the last frame of its answer. Consecutive waiting pushes become
 * one task, and so one commit; a paced mutation is a separate task. No push overtakes another.
 */
import { fullWaitingChars, maxMutationsPerBatch, maxWaitingChars, maxWaitingMutations } from '../protocol/wire-limits.ts'

/** `later`: retry after the tasks that are queued now. `after`: and after this pause, during which other tasks run. */
export type Served = 'done' | 'later' | { readonly after: Promise<void> }

type Batch<Mutation> = { readonly pushed: Mutation[]; readonly done: PromiseWithResolvers<void> }

export class TaskQueue<Mutation> {
  readonly #serial: Serial = createSerial()
  readonly #apply: (pushed: readonly Mutation[]) => Promise<Served>
  readonly #isPaced: (mutation: Mutation) => boolean
  /** Waiting batches, one task each. */
  readonly #batches: Batch<Mutation>[] = []
  /** The batch at the end of the queue, until it is served or another task follows. */
  #open: Batch<Mutation> | null = null
  /** Mutations of tasks that are not done. */
  #mutations = 0
  /** Characters of their frames. */
  #chars = 0

  constructor(apply: (pushed: readonly Mutation[]) => Promise<Served>, isPaced: (mutation: Mutation) => boolean = () => false) {
    this.#apply = apply
    this.#isPaced = isPaced
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
    const parts = this.#partsOf(pushed).map((part) => this.#add(part))
    await this.#counted(Promise.all(parts), pushed.length, chars)
  }

  /** A paced mutation is alone in its part. */
  #partsOf(pushed: readonly Mutation[]): readonly Mutation[][] {
    const parts: Mutation[][] = []
    for (const mutation of pushed) {
      const last = parts.at(-1)
      const isJoined = last && last.length < maxMutationsPerBatch && !this.#isPaced(mutation) && !last.some(this.#isPaced)
      if (isJoined) last.push(mutation)
      else parts.push([mutation])
    }
    return parts
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
    const isPaced = pushed.some(this.#isPaced)
    if (open && !isPaced && open.pushed.length + pushed.length <= maxMutationsPerBatch) {
      open.pushed.push(...pushed)
      return open.done.promise
    }
    const batch: Batch<Mutation> = { pushed: [...pushed], done: Promise.withResolvers<void>() }
    this.#batches.push(batch)
    this.#open = isPaced ? null : batch
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
      const served = await this.#apply(batch.pushed)
      if (served === 'later') return this.#serve()
      if (served !== 'done') return void served.after.then(() => this.#serve())
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

/** Runs tasks sequentially in call order. A failed task rejects its own promise only. */
export type Serial = <T>(task: () => Promise<T>) => Promise<T>

export function createSerial(): Serial {
  let last: Promise<unknown> = Promise.resolve()
  return (task) => {
    const result = last.then(task)
    // The caller handles the rejection of `result`; the queue continues.
    last = result.catch(() => undefined)
    return result
  }
}

/** A thread and its messages, oldest first, as one live view of the Zero client. */
import type { ResultType, Zero } from '@rocicorp/zero'
import { messagePageSize } from '../../worker/contract/limits.ts'
import { queries } from '../../worker/contract/queries.ts'
import type { RowOf } from '../../worker/contract/schema.ts'

export type ShownThread = RowOf<'thread'> & {
  readonly messages: readonly RowOf<'message'>[]
  readonly queue: readonly RowOf<'queuedMessage'>[]
}
export type View<T> = { addListener(listener: (data: T, type: ResultType) => void): () => void }

/** Resolves as soon as the view matches; the test's timeout is the only clock. */
export const until = <T>(view: View<T>, holds: (data: T) => boolean) =>
  new Promise<T>((resolve) => {
    const stop = view.addListener((data) => {
      if (!holds(data as T)) return
      queueMicrotask(() => stop())
      resolve(data as T)
    })
  })

export function viewThread(zero: Zero, threadId: string): View<ShownThread | undefined> {
  const thread = zero.materialize(queries.threads.one({ threadId }))
  const messages = zero.materialize(queries.messages.newest({ threadId, limit: messagePageSize }))
  return {
    addListener(listener) {
      let row: Omit<ShownThread, 'messages'> | undefined
      let newest: readonly RowOf<'message'>[] = []
      const types = { thread: 'unknown', messages: 'unknown' } as { thread: ResultType; messages: ResultType }
      let isScheduled = false
      // A poke changes both views before any microtask.
      const schedule = () => {
        if (isScheduled) return
        isScheduled = true
        queueMicrotask(() => {
          isScheduled = false
          const isComplete = types.thread === 'complete' && types.messages === 'complete'
          listener(row && { ...row, messages: newest.toReversed() }, isComplete ? 'complete' : 'unknown')
        })
      }
      const stops = [
        thread.addListener((data, type) => {
          row = data as typeof row
          types.thread = type
          schedule()
        }),
        messages.addListener((data, type) => {
          newest = data as typeof newest
          types.messages = type
          schedule()
        }),
      ]
      return () => {
        for (const stop of stops) stop()
      }
    },
  }
}

/** The number of newest messages per thread that this page subscribes to. A window keeps its size until the page closes. */
import { maxMessageWindow, messagePageSize } from '../../worker/contract/limits.ts'
import { createStore, useStored } from '../lib/store.ts'

const limits = createStore<ReadonlyMap<string | undefined, number>>(new Map())

export const useMessageWindow = (threadId: string | undefined): number =>
  useStored(limits, (byThread) => byThread.get(threadId) ?? messagePageSize)

/** Doubles a window of `limit` messages; repeated calls with the same limit have no effect. */
export function growMessageWindow(threadId: string, limit: number): void {
  const byThread = limits.get()
  const grown = Math.max(byThread.get(threadId) ?? messagePageSize, Math.min(2 * limit, maxMessageWindow))
  limits.set(new Map(byThread).set(threadId, grown))
}

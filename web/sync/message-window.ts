/** How many of the newest messages of each thread this page asks for. A window keeps its size until the page is closed. */
import { maxMessageWindow, messagePageSize } from '../../worker/contract/limits.ts'
import { createStore, useStored } from '../lib/store.ts'

const limits = createStore<ReadonlyMap<string | undefined, number>>(new Map())

export const useMessageWindow = (threadId: string | undefined): number =>
  useStored(limits, (byThread) => byThread.get(threadId) ?? messagePageSize)

/** Doubles a window of `limit` messages, once however often it is called. */
export function growMessageWindow(threadId: string, limit: number): void {
  const byThread = limits.get()
  const grown = Math.max(byThread.get(threadId) ?? messagePageSize, Math.min(2 * limit, maxMessageWindow))
  limits.set(new Map(byThread).set(threadId, grown))
}

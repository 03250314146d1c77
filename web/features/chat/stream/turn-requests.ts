/**
 * Notifies that this page has just requested an answer. The conversation then scrolls to its end; a turn from another device does not
 * scroll.
 */
import { createStores } from '../../../lib/store.ts'

/** The number of answers that this page has requested, by thread. */
const turnRequests = createStores(() => 0)

export function announceTurnRequest(threadId: string): void {
  const count = turnRequests.of(threadId)
  count.set(count.get() + 1)
}

export const onTurnRequest = (threadId: string, listener: () => void): (() => void) => turnRequests.of(threadId).subscribe(listener)

/**
 * Notifies that this page has just requested an answer. The conversation then scrolls to its end; a turn from another device does not
 * scroll.
 */
import { createStores } from '../../../lib/store.ts'

/** The number of answers that this page has requested, by thread. */
const ownTurns = createStores(() => 0)

export function announceOwnTurn(threadId: string): void {
  const count = ownTurns.of(threadId)
  count.set(count.get() + 1)
}

export const onOwnTurn = (threadId: string, listener: () => void): (() => void) => ownTurns.of(threadId).subscribe(listener)

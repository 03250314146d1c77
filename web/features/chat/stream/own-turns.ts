/**
 * Notifies that this page has just requested an answer. The conversation then scrolls to its end; a turn from another device does not
 * scroll.
 */
type Listener = () => void

const listeners = new Map<string, Set<Listener>>()

export function announceOwnTurn(threadId: string): void {
  for (const listener of listeners.get(threadId) ?? []) listener()
}

export function onOwnTurn(threadId: string, listener: Listener): () => void {
  const ofThread = listeners.get(threadId) ?? new Set()
  listeners.set(threadId, ofThread.add(listener))
  return () => {
    ofThread.delete(listener)
    if (ofThread.size === 0) listeners.delete(threadId)
  }
}

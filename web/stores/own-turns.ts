/**
 * Says that this person, on this page, has just asked for an answer. The conversation then goes to its end, wherever they were
 * reading; a turn that arrives from another device moves nothing.
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

/**
 * A thread is a tree: every message follows a parent, and messages with one parent are versions of each other. What is on
 * screen is one path through it, from the first message to the thread's head.
 */
type Node = { readonly id: string; readonly parentId?: string | null | undefined }

/** From the first message to `headId`. A path whose beginning has not arrived yet starts where it can. */
export function pathTo<T extends Node>(messages: readonly T[], headId: string | null | undefined): readonly T[] {
  const byId = new Map(messages.map((message) => [message.id, message]))
  const path: T[] = []
  const seen = new Set<string>()
  let at = headId == null ? undefined : byId.get(headId)
  while (at && !seen.has(at.id)) {
    seen.add(at.id)
    path.push(at)
    at = at.parentId == null ? undefined : byId.get(at.parentId)
  }
  return path.reverse()
}

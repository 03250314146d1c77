/**
 * A thread is a tree of messages. Messages with the same parent are versions of each other. The screen shows one path, from the first
 * message to the thread's head. A deleted message hides its descendants. Pure.
 */
type Node = {
  readonly id: string
  readonly parentId?: string | null | undefined
  readonly createdAt?: number | null | undefined
  readonly deletedAt?: number | null | undefined
}
type Spoken = Node & { readonly message: { readonly role: 'user' | 'assistant' } }

/** The path from the first message to `headId`. If the beginning is not loaded, the path starts at the oldest loaded message. */
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

/** True if neither the message nor an ancestor is deleted. */
export const isVisible = (messages: readonly Node[], messageId: string): boolean =>
  pathTo(messages, messageId).every(({ deletedAt }) => deletedAt == null)

/** Ids of the messages below a deleted one. */
export function idsBelowDeleted(messages: readonly Node[]): ReadonlySet<string> {
  const children = Map.groupBy(messages, ({ parentId }) => parentId ?? null)
  const below = new Set<string>()
  const waiting = messages.flatMap(({ id, deletedAt }) => (deletedAt == null ? [] : [id]))
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop())
    for (const child of children.get(id) ?? []) {
      if (below.has(child.id)) continue
      below.add(child.id)
      waiting.push(child.id)
    }
  return below
}

/** The versions of `message` including itself, oldest first. */
export const versionsOf = <T extends Spoken>(messages: readonly T[], message: T): readonly T[] =>
  messages
    .filter(
      (other) =>
        (other.parentId ?? null) === (message.parentId ?? null) && other.message.role === message.message.role && other.deletedAt == null,
    )
    .toSorted(byAge)

/** The newest leaf below `messageId`, or `messageId` if it has no children. */
export function newestLeafBelow(messages: readonly Node[], messageId: string): string {
  const below = new Map<string, Node[]>()
  for (const message of messages) {
    if (message.parentId == null || message.deletedAt != null) continue
    const children = below.get(message.parentId)
    if (children) children.push(message)
    else below.set(message.parentId, [message])
  }
  let newest: Node | undefined
  const seen = new Set([messageId])
  const waiting = [...(below.get(messageId) ?? [])]
  for (let at = waiting.pop(); at; at = waiting.pop()) {
    if (seen.has(at.id)) continue
    seen.add(at.id)
    const children = below.get(at.id)
    if (children) waiting.push(...children)
    else if (!newest || byAge(newest, at) < 0) newest = at
  }
  return newest?.id ?? messageId
}

/** The new head after a deletion: the newest leaf of the previous or next version, otherwise the parent. */
export function headWithout<T extends Spoken>(messages: readonly T[], message: T): string | null {
  const versions = versionsOf(messages, message)
  const index = versions.findIndex(({ id }) => id === message.id)
  const other = versions[index - 1] ?? versions[index + 1]
  if (other) return newestLeafBelow(messages, other.id)
  return message.parentId ?? null
}

const byAge = (a: Node, b: Node): number => (a.createdAt ?? 0) - (b.createdAt ?? 0) || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)

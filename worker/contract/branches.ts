/**
 * A thread is a tree: every message follows a parent, and messages with one parent are versions of each other. What is on screen is
 * one path through it, from the first message to the thread's head. A deleted message hides everything below it. Pure.
 */
type Node = {
  readonly id: string
  readonly parentId?: string | null | undefined
  readonly createdAt?: number | null | undefined
  readonly deletedAt?: number | null | undefined
}
type Spoken = Node & { readonly message: { readonly role: 'user' | 'assistant' } }

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

/** Whether neither `messageId` nor anything above it is deleted. */
export const isInSight = (messages: readonly Node[], messageId: string): boolean =>
  pathTo(messages, messageId).every(({ deletedAt }) => deletedAt == null)

/** The versions of `message`, itself among them, oldest first. */
export const versionsOf = <T extends Spoken>(messages: readonly T[], message: T): readonly T[] =>
  messages
    .filter(
      (other) =>
        (other.parentId ?? null) === (message.parentId ?? null) && other.message.role === message.message.role && other.deletedAt == null,
    )
    .toSorted(byAge)

/**
 * The messages with which more than their own answer would go: whoever deletes a question takes its answers along, and of an answer nothing,
 * unless something was asked below.
 */
export function withMoreBelow(messages: readonly Spoken[]): ReadonlySet<string> {
  const inSight = messages.filter(({ deletedAt }) => deletedAt == null)
  const asked = new Set(inSight.flatMap(({ parentId, message }) => (message.role === 'user' && parentId != null ? [parentId] : [])))
  const answered = inSight.flatMap(({ id, parentId, message }) =>
    message.role === 'assistant' && parentId != null && asked.has(id) ? [parentId] : [],
  )
  return new Set([...asked, ...answered])
}

/** Where the branch of `messageId` that was written to last ends; `messageId` itself when nothing follows it. */
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

/** Which message becomes the head when `message` is deleted: the version before it or after it, else what it answered. */
export function headWithout<T extends Spoken>(messages: readonly T[], message: T): string | null {
  const versions = versionsOf(messages, message)
  const index = versions.findIndex(({ id }) => id === message.id)
  const other = versions[index - 1] ?? versions[index + 1]
  if (other) return newestLeafBelow(messages, other.id)
  return message.parentId ?? null
}

const byAge = (a: Node, b: Node): number => (a.createdAt ?? 0) - (b.createdAt ?? 0) || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)

/**
 * A thread as a file describes it, before it becomes rows. `treeOf` makes one form of all formats: messages without content are left out,
 * parents come first, a message is newer than its parent, and the steps of one answer are one message.
 */
import type { AttachedFile } from '../../../../../worker/contract/files.ts'

export type SourceFile =
  /** A file of the archive, by the id in its name. */
  | { readonly kind: 'archived'; readonly id: string }
  /** A data URL. */
  | { readonly kind: 'inline'; readonly url: string; readonly name: string }
  /** A file that this server may still store. */
  | { readonly kind: 'stored'; readonly file: AttachedFile }

export type SourceModel = { readonly id: string; readonly name: string; readonly icon: string }

export type SourceMessage = {
  readonly id: string
  readonly parentId: string | null
  readonly role: 'user' | 'assistant'
  readonly text: string
  readonly reasoning?: string
  readonly model?: SourceModel | undefined
  readonly files?: readonly SourceFile[]
  readonly createdAtMs: number | null
}

export type SourceThread = {
  readonly id: string
  /** The ids are those of this product, and the file is of the same user. */
  readonly hasOwnIds?: boolean
  readonly title: string | null
  readonly createdAtMs: number | null
  readonly updatedAtMs: number | null
  /** The last message of the shown branch. Null or unknown: the newest leaf. */
  readonly headId: string | null
  readonly isArchived?: boolean
  readonly messages: readonly SourceMessage[]
}

/** Messages in an order in which parents come first. `createdAtMs` is later than that of the parent. */
export type TreeMessage = Omit<SourceMessage, 'createdAtMs'> & { readonly createdAtMs: number; readonly files: readonly SourceFile[] }
export type Tree = { readonly messages: readonly TreeMessage[]; readonly headId: string }

const hasContent = ({ text, reasoning = '', files = [] }: SourceMessage): boolean =>
  text.trim() !== '' || reasoning.trim() !== '' || files.length > 0

/** Null for a thread without content. */
export function treeOf({ messages: listed, headId, createdAtMs }: SourceThread): Tree | null {
  const all = new Map<string, SourceMessage>()
  for (const message of listed) if (!all.has(message.id)) all.set(message.id, message)
  const visible = [...all.values()].filter(hasContent)
  const parents = new Map(visible.map((message) => [message.id, visibleAbove(all, message.parentId, message.id)]))
  const children = Map.groupBy(visible, ({ id }) => parents.get(id) ?? null)
  const placed = new Map<string, TreeMessage>()
  /** The message that holds the content of a message of the file. */
  const holders = new Map<string, string>()
  const place = (start: SourceMessage, startParent: string | null) => {
    const waiting = [{ message: start, parent: startParent }]
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const { message, parent } = next
      if (holders.has(message.id)) continue
      const parentId = parent === null ? null : (holders.get(parent) ?? null)
      const above = parentId === null ? undefined : placed.get(parentId)
      const isStep = above?.role === 'assistant' && message.role === 'assistant' && children.get(parent ?? null)?.length === 1
      if (above && isStep) placed.set(above.id, joined(above, message))
      else placed.set(message.id, { ...message, parentId, files: message.files ?? [], createdAtMs: timeAfter(above, message, createdAtMs) })
      holders.set(message.id, above && isStep ? above.id : message.id)
      // The last child is placed first, so the list is reversed.
      for (const child of (children.get(message.id) ?? []).toReversed()) waiting.push({ message: child, parent: message.id })
    }
  }
  for (const message of children.get(null) ?? []) place(message, null)
  // Messages of a cycle are below no first message. Each cycle becomes a first message.
  for (const message of visible) if (!holders.has(message.id)) place(message, null)
  const messages = [...placed.values()]
  if (messages.length === 0) return null
  const shown = headId === null ? null : all.has(headId) ? visibleAbove(all, headId, null) : null
  return { messages, headId: (shown === null ? undefined : holders.get(shown)) ?? newestLeaf(messages) }
}

/** The first message with content at `id` or above. Null for none, and in a circle. `from` is not an answer. */
function visibleAbove(all: ReadonlyMap<string, SourceMessage>, id: string | null, from: string | null): string | null {
  const seen = new Set<string | null>([from])
  for (let at = id; at !== null && !seen.has(at); ) {
    const message = all.get(at)
    if (!message) return null
    if (hasContent(message)) return at
    seen.add(at)
    at = message.parentId
  }
  return null
}

/** A day of 2001: a message without any time is older than every message of this product. */
const unknownTimeMs = 1_000_000_000_000

const timeAfter = (above: TreeMessage | undefined, { createdAtMs }: SourceMessage, threadMs: number | null): number =>
  Math.max((above?.createdAtMs ?? -1) + 1, Math.round(createdAtMs ?? (above ? 0 : (threadMs ?? unknownTimeMs))))

function joined(above: TreeMessage, { text, reasoning, model, files = [] }: SourceMessage): TreeMessage {
  const join = (...texts: readonly (string | undefined)[]) => texts.filter((part) => part?.trim()).join('\n\n')
  const allReasoning = join(above.reasoning, reasoning)
  return {
    ...above,
    text: join(above.text, text),
    ...(allReasoning ? { reasoning: allReasoning } : {}),
    model: model ?? above.model,
    files: [...above.files, ...files],
  }
}

function newestLeaf(messages: readonly TreeMessage[]): string {
  const inner = new Set(messages.map(({ parentId }) => parentId))
  const leaves = messages.filter(({ id }) => !inner.has(id))
  return leaves.reduce((newest, leaf) => (leaf.createdAtMs >= newest.createdAtMs ? leaf : newest)).id
}

/**
 * A thread as a file describes it, before it becomes rows. `treeOf` makes one form of all formats: messages without content are left out,
 * parents come first, a message is newer than its parent, and the steps of one answer are one message.
 */
import type { AttachedFile } from '../../../../../worker/contract/files/files.ts'

export type SourceFile =
  /** A file of the archive, by the id in its name. `name`: that of the uploaded file. */
  | { readonly kind: 'archived'; readonly id: string; readonly name: string | undefined }
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
  /** What of the message was left out. */
  readonly problems?: readonly ProblemReason[]
  /** The text of a turn whose steps all have no text and no files. Absent: the message is shown only if it has content. */
  readonly placeholder?: string | undefined
}

/** A message that shows nothing, between its parent and its children. */
export const emptyMessage = (id: string, parentId: string | null, problems: readonly ProblemReason[] = []): SourceMessage => ({
  id,
  parentId,
  role: 'assistant',
  text: '',
  createdAtMs: null,
  problems,
})

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
  /** What of the thread was left out that belongs to no message. */
  readonly problems?: readonly ProblemReason[]
  readonly messages: readonly SourceMessage[]
}

/** Parents come before their children. `createdAtMs` is later than that of the parent. `turn`: position in the branch, from 1. */
export type TreeMessage = Omit<SourceMessage, 'createdAtMs' | 'problems'> & {
  readonly createdAtMs: number
  readonly files: readonly SourceFile[]
  readonly turn: number
}
/** `problems`: each with its turn. */
export type Tree = {
  readonly messages: readonly TreeMessage[]
  readonly headId: string
  readonly problems: readonly (readonly [reason: ProblemReason, turn: number])[]
}

const hasContent = ({ text, reasoning = '', files = [] }: SourceMessage): boolean =>
  text.trim() !== '' || reasoning.trim() !== '' || files.length > 0

const isSame = (a: SourceMessage, b: SourceMessage): boolean => a.role === b.role && a.text === b.text && a.reasoning === b.reasoning

/** Null for a thread without content. */
export function treeOf({ messages: listed, headId, createdAtMs }: SourceThread): Tree | null {
  const all = new Map<string, SourceMessage>()
  const copies = new Map<string, number>()
  for (const message of listed) {
    const known = all.get(message.id)
    if (known && isSame(known, message)) continue
    const copy = (copies.get(message.id) ?? -1) + 1
    copies.set(message.id, copy)
    // Another message with the same id gets a new id.
    const id = copy === 0 ? message.id : `${message.id}+${copy}`
    all.set(id, { ...message, id })
  }
  const visible = shownMessages(all)
  const nearest = nearestIn(all, visible)
  const parents = new Map(
    [...visible.values()].map(({ id, parentId }) => {
      const above = nearest(parentId)
      return [id, above === id ? null : above]
    }),
  )
  const children = Map.groupBy(visible.values(), ({ id }) => parents.get(id) ?? null)
  const placed = new Map<string, TreeMessage>()
  /** The later steps of an answer, by its first one. */
  const steps = new Map<string, SourceMessage[]>()
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
      if (above && isStep) steps.get(above.id)?.push(message)
      else {
        steps.set(message.id, [])
        const { problems: _, ...content } = message
        placed.set(message.id, {
          ...content,
          parentId,
          files: message.files ?? [],
          createdAtMs: timeAfter(above, message, createdAtMs),
          turn: (above?.turn ?? 0) + 1,
        })
      }
      holders.set(message.id, above && isStep ? above.id : message.id)
      // The last child is placed first, so the list is reversed.
      for (const child of (children.get(message.id) ?? []).toReversed()) waiting.push({ message: child, parent: message.id })
    }
  }
  for (const message of children.get(null) ?? []) place(message, null)
  // Messages of a cycle are below no first message. Each cycle becomes a first message.
  for (const message of visible.values()) if (!holders.has(message.id)) place(message, null)
  const messages = [...placed.values()].map((message) => withPlaceholder(joined(message, steps.get(message.id) ?? [])))
  if (messages.length === 0) return null
  const holderOf = (id: string | null) => placed.get(holders.get(nearest(id) ?? '') ?? '')
  // Problems of a step that is not shown belong to the turn above, or to the first turn.
  const problems = [...all.values()].flatMap(({ id, problems: found = [] }) =>
    found.map((reason) => [reason, holderOf(id)?.turn ?? 1] as const),
  )
  return { messages, headId: holderOf(headId)?.id ?? newestLeaf(messages), problems }
}

/** Messages with content, and those that would leave a turn without any. */
function shownMessages(all: ReadonlyMap<string, SourceMessage>): ReadonlyMap<string, SourceMessage> {
  /** Steps above an answer with content: the turn is there without them. */
  const continued = new Set<string>()
  for (const message of all.values()) {
    if (message.role !== 'assistant' || !hasContent(message)) continue
    for (let above = all.get(message.parentId ?? ''); above && above.role === 'assistant'; above = all.get(above.parentId ?? '')) {
      if (hasContent(above) || continued.has(above.id)) break
      continued.add(above.id)
    }
  }
  return new Map([...all].filter(([id, message]) => hasContent(message) || (message.placeholder !== undefined && !continued.has(id))))
}

/** The first shown message at an id or above. Null for none, and in a circle. */
function nearestIn(
  all: ReadonlyMap<string, SourceMessage>,
  visible: ReadonlyMap<string, SourceMessage>,
): (id: string | null) => string | null {
  const known = new Map<string, string | null>()
  return (id) => {
    const path = new Set<string>()
    let at = id
    while (at !== null && !visible.has(at) && !known.has(at) && !path.has(at)) {
      path.add(at)
      at = all.get(at)?.parentId ?? null
    }
    const found = at === null ? null : visible.has(at) ? at : (known.get(at) ?? null)
    for (const each of path) known.set(each, found)
    return found
  }
}

const withPlaceholder = (message: TreeMessage): TreeMessage =>
  message.text.trim() === '' && message.files.length === 0 ? { ...message, text: message.placeholder ?? message.text } : message

/** A day of 2001: a message without any time is older than every message of this product. */
const unknownTimeMs = 1_000_000_000_000

const timeAfter = (above: TreeMessage | undefined, { createdAtMs }: SourceMessage, threadMs: number | null): number =>
  Math.max((above?.createdAtMs ?? -1) + 1, Math.round(createdAtMs ?? (above ? 0 : (threadMs ?? unknownTimeMs))))

function joined(first: TreeMessage, steps: readonly SourceMessage[]): TreeMessage {
  if (steps.length === 0) return first
  const all: readonly SourceMessage[] = [first, ...steps]
  const join = (texts: readonly (string | undefined)[]) => texts.filter((part) => part?.trim()).join('\n\n')
  const reasoning = join(all.map((step) => step.reasoning))
  return {
    ...first,
    text: join(all.map(({ text }) => text)),
    ...(reasoning ? { reasoning } : {}),
    model: all.findLast(({ model }) => model)?.model,
    files: all.flatMap(({ files = [] }) => files),
    placeholder: all.findLast(({ placeholder }) => placeholder !== undefined)?.placeholder,
  }
}

function newestLeaf(messages: readonly TreeMessage[]): string {
  const inner = new Set(messages.map(({ parentId }) => parentId))
  const leaves = messages.filter(({ id }) => !inner.has(id))
  return leaves.reduce((newest, leaf) => (leaf.createdAtMs >= newest.createdAtMs ? leaf : newest)).id
}

/** Why an entry, or a part of it, was not imported. */
export type ProblemReason =
  | 'unknown_format'
  | 'damaged'
  | 'empty'
  | 'too_large'
  | 'file_damaged'
  | 'documents_left_out'
  | 'text_shortened'
  | 'image_missing'
  | 'image_too_large'
  | 'too_many_images'
  | 'file_left_out'
  | 'tool_results'
  | 'hidden_text'
  | 'sources_missing'
  | 'unknown_content'
  | 'refused'

export type Problem = {
  /** The title of the thread, or the name of the file. */
  readonly title: string | null
  readonly reason: ProblemReason
  /** Positions of messages in their branch, from 1. */
  readonly turns?: readonly number[]
  /** Names of the files that this is about. */
  readonly names?: readonly string[]
  /** Number of entries of a file that this is about. */
  readonly count?: number
}

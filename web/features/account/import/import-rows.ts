/** Turns threads of a file into the rows of `threads.import`, in parts that fit into one mutation. Ids derive from those of the file. */
import { idFrom, idSchema } from '../../../../worker/contract/ids.ts'
import { maxImportMessages, maxMessageChars, maxTitleChars } from '../../../../worker/contract/limits.ts'
import { cutAt } from '../../../../worker/contract/text.ts'
import type { ImportedMessage, ImportedThread } from '../../../../worker/contract/threads/import-args.ts'
import { titleFromText } from '../../../../worker/contract/threads/titles.ts'
import {
  type Problem,
  type ProblemReason,
  type SourceFile,
  type SourceThread,
  type Tree,
  type TreeMessage,
  treeOf,
} from './formats/source-thread.ts'

/** Chosen: a frame of the sync protocol has at most 1 MB (`maxFrameBytes`). */
export const maxPartBytes = 600_000

/** `files`: of messages in `thread`, by message id. */
export type ThreadPart = {
  readonly thread: ImportedThread
  readonly bytes: number
  readonly files: ReadonlyMap<string, { readonly sources: readonly SourceFile[]; readonly turn: number }>
}
type ImportRows = { readonly parts: readonly ThreadPart[]; readonly problems: readonly Omit<Problem, 'title'>[] }

/** Rows of the same file and user always have the same ids, so a repeated import finds them. */
export async function derivedId(...names: readonly string[]): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(['import', ...names]))
  return idFrom(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))
}

export async function importRows(source: SourceThread, userId: string, nowMs: number): Promise<ImportRows> {
  const tree = treeOf(source)
  const leftOut = new Map<ProblemReason, Set<number>>((source.problems ?? []).map((reason) => [reason, new Set()]))
  const addProblem = (reason: ProblemReason, turn: number) => leftOut.set(reason, (leftOut.get(reason) ?? new Set()).add(turn))
  if (!tree) {
    const reasons = new Set<ProblemReason>(['empty', ...leftOut.keys(), ...source.messages.flatMap(({ problems = [] }) => problems)])
    return { parts: [], problems: [...reasons].map((reason) => ({ reason })) }
  }
  for (const [reason, turn] of tree.problems) addProblem(reason, turn)
  const hasOwnIds = source.hasOwnIds === true && [source.id, ...tree.messages.map(({ id }) => id)].every(isId)
  const threadId = hasOwnIds ? source.id : await derivedId(userId, source.id)
  const ids = new Map<string, string>()
  for (const { id } of tree.messages) ids.set(id, hasOwnIds ? id : await derivedId(threadId, id))
  const times = timesOf(tree, nowMs)
  const rows = tree.messages.map((message) => ({
    source: message,
    ...messageRow(message, { ids, createdAt: times.get(message.id) ?? 0, onCut: () => addProblem('text_shortened', message.turn) }),
  }))
  // Not `Math.min(...times)`: a thread may have more messages than a call may have arguments.
  const ascending = [...times.values()].sort((a, b) => a - b)
  const [first = nowMs, last = nowMs] = [ascending[0], ascending.at(-1)]
  const createdAt = Math.min(source.createdAtMs ?? first, nowMs)
  const updatedAt = Math.min(Math.max(source.updatedAtMs ?? last, createdAt), nowMs)
  const shared = {
    id: threadId,
    title: titleOf(source, tree),
    createdAt,
    ...(source.isArchived ? { isArchived: true } : {}),
  }
  const groups = groupsOf(rows)
  const branch = branchOf(tree)
  const known = new Set<string>()
  let headAt = 0
  const parts = groups.map((group, index): ThreadPart => {
    for (const { source: message } of group) known.add(message.id)
    // The head of the file, or its nearest predecessor in this part and those before it. Without one, the first message.
    while (known.has(branch[headAt + 1] ?? '')) headAt += 1
    const thread: ImportedThread = {
      ...shared,
      headId: ids.get((known.has(branch[0] ?? '') ? branch[headAt] : tree.messages[0]?.id) ?? '') ?? '',
      // `writeBatch` skips a part whose `updatedAt` is stored. Each part therefore has a distinct one; the last part has the file's.
      updatedAt: Math.max(0, updatedAt - (groups.length - 1 - index)),
      messages: group.map(({ row }) => row),
    }
    const files = new Map(
      group.flatMap(({ source: { files: sources, turn }, row }) => (sources.length > 0 ? [[row.id, { sources, turn }] as const] : [])),
    )
    return { thread, bytes: group.reduce((sum, { bytes }) => sum + bytes, 0), files }
  })
  const problems = [...leftOut].map(([reason, turns]) => ({
    reason,
    ...(turns.size > 0 ? { turns: [...turns].sort((a, b) => a - b) } : {}),
  }))
  return { parts, problems }
}

const isId = (id: string): boolean => idSchema.safeParse(id).success

/** The shown branch, from its first message to the head. */
function branchOf({ messages, headId }: Tree): readonly string[] {
  const parents = new Map(messages.map(({ id, parentId }) => [id, parentId]))
  const branch: string[] = []
  for (let id: string | null | undefined = headId; id != null; id = parents.get(id)) branch.push(id)
  return branch.reverse()
}

/** No message is newer than `nowMs`, or a later message of the user would come before it. Each is still newer than its parent. */
function timesOf({ messages }: Tree, nowMs: number): ReadonlyMap<string, number> {
  /** Length of the longest path below each message. */
  const heights = new Map<string, number>()
  for (const { id, parentId } of messages.toReversed())
    if (parentId !== null) heights.set(parentId, Math.max(heights.get(parentId) ?? 0, (heights.get(id) ?? 0) + 1))
  return new Map(messages.map(({ id, createdAtMs }) => [id, Math.min(createdAtMs, nowMs - (heights.get(id) ?? 0))]))
}

function titleOf({ title }: SourceThread, { messages }: Tree): string {
  const plain = title
    ?.toWellFormed()
    .replace(/[\p{Cc}\p{Cf}]+/gu, ' ')
    .trim()
  if (plain) return cutAt(plain, maxTitleChars)
  return titleFromText(cutAt(messages.find(({ role, text }) => role === 'user' && text.trim() !== '')?.text ?? '', 1000))
}

type RowContext = { readonly ids: ReadonlyMap<string, string>; readonly createdAt: number; readonly onCut: () => void }
type SizedRow = { readonly row: ImportedMessage; readonly bytes: number }

const encoder = new TextEncoder()

function messageRow(message: TreeMessage, { ids, createdAt, onCut }: RowContext, maxChars = maxMessageChars): SizedRow {
  const { id, parentId, role, text, reasoning, model } = message
  const cut = (long: string): string => {
    if (long.length > maxChars) onCut()
    return cutAt(long, maxChars).toWellFormed()
  }
  const row: ImportedMessage = {
    id: ids.get(id) ?? '',
    parentId: parentId === null ? null : (ids.get(parentId) ?? null),
    role,
    text: cut(text),
    ...(reasoning && role === 'assistant' ? { reasoning: cut(reasoning) } : {}),
    ...(model && role === 'assistant' ? { model } : {}),
    createdAt,
  }
  const bytes = encoder.encode(JSON.stringify(row)).length
  return bytes > maxPartBytes ? messageRow(message, { ids, createdAt, onCut }, maxChars / 2) : { row, bytes }
}

type SourceRow = SizedRow & { readonly source: TreeMessage }

function groupsOf(rows: readonly SourceRow[]): readonly (readonly SourceRow[])[] {
  const groups: SourceRow[][] = [[]]
  let bytes = 0
  for (const row of rows) {
    const group = groups.at(-1)
    if (!group || group.length >= maxImportMessages || (group.length > 0 && bytes + row.bytes > maxPartBytes)) {
      groups.push([row])
      bytes = row.bytes
    } else {
      group.push(row)
      bytes += row.bytes
    }
  }
  return groups
}

/** An image that cannot be attached appears by its name. */
export function withNames(message: ImportedMessage, names: readonly string[]): ImportedMessage {
  if (names.length === 0) return message
  const text = [...names.map((name) => `[${name}]`), message.text].filter(Boolean).join('\n\n')
  return { ...message, text: cutAt(text, maxMessageChars).toWellFormed() }
}

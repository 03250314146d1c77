/**
 * Reads the file of "Download my data". Its messages are ordered by id, so those of one thread are everywhere in the file. It is read once for
 * the sizes of the threads, and once for each group of threads that fits into memory.
 */
import { fromParley, type MessageRow, messageRowSchema, type ThreadRow, threadRowSchema } from './formats/parley.ts'
import type { Entry } from './formats/read-entry.ts'
import { jsonValues } from './json-values.ts'
import type { JsonDocument } from './read-files.ts'

/** Chosen: most exports are one group. */
const maxGroupChars = 64 * 1024 * 1024

export const isParleyFile = (head: string): boolean => /^\{\s*"product"\s*:\s*"Parley"/.test(head)

export async function* readParleyFile(document: JsonDocument, userId: string): AsyncGenerator<Entry> {
  const threads = new Map<string, ThreadRow>()
  const sizes = new Map<string, number>()
  let isOwn = false
  for await (const { list, value } of jsonValues(document.open(), ['$.user.*', '$.threads.*', '$.messages.*'])) {
    if (list === 'user') isOwn = idOf(value) === userId
    else if (list === 'threads') {
      const read = threadRowSchema.safeParse(value)
      if (!read.success) yield { problem: { title: null, reason: 'damaged' } }
      else if (read.data.deletedAt === null) threads.set(read.data.id, read.data)
    } else {
      const threadId = threadIdOf(value)
      if (threadId !== null) sizes.set(threadId, (sizes.get(threadId) ?? 0) + JSON.stringify(value).length)
    }
  }
  for (const group of groupsOf([...threads.values()], sizes)) {
    const rows = new Map<string, MessageRow[]>(group.map(({ id }) => [id, []]))
    const damaged = new Set<string>()
    for await (const { value } of jsonValues(document.open(), ['$.messages.*'])) {
      const wanted = rows.get(threadIdOf(value) ?? '')
      if (!wanted) continue
      const read = messageRowSchema.safeParse(value)
      if (read.success) wanted.push(read.data)
      else damaged.add(threadIdOf(value) ?? '')
    }
    for (const thread of group) {
      if (damaged.has(thread.id)) yield { problem: { title: thread.title ?? null, reason: 'damaged' } }
      yield { thread: fromParley(thread, rows.get(thread.id) ?? [], isOwn) }
    }
  }
}

const fieldOf = (value: unknown, field: string): string | null => {
  const found = typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[field] : null
  return typeof found === 'string' ? found : null
}
const idOf = (value: unknown): string | null => fieldOf(value, 'id')
const threadIdOf = (value: unknown): string | null => fieldOf(value, 'threadId')

function groupsOf(threads: readonly ThreadRow[], sizes: ReadonlyMap<string, number>): readonly ThreadRow[][] {
  const groups: ThreadRow[][] = []
  let chars = Number.POSITIVE_INFINITY
  for (const thread of threads) {
    const size = sizes.get(thread.id) ?? 0
    if (chars + size > maxGroupChars) {
      groups.push([])
      chars = 0
    }
    groups.at(-1)?.push(thread)
    chars += size
  }
  return groups
}

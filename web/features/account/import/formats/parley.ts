/** The file of "Download my data", and the JSON file of one thread: lists of rows. The rows of a thread are not together. */
import * as z from 'zod/mini'
import { parseFiles } from '../../../../../worker/contract/files.ts'
import { idField, modelNamed, textOrEmpty, textOrNull, timeMs } from './fields.ts'
import type { SourceFile, SourceMessage, SourceThread } from './source-thread.ts'

const time = z.catch(z.nullable(z.number()), null)

export const threadRowSchema = z.object({
  id: idField,
  title: z.optional(textOrNull),
  headId: z.optional(textOrNull),
  createdAt: time,
  updatedAt: time,
  archivedAt: time,
  deletedAt: time,
})

export const messageRowSchema = z.object({
  id: idField,
  threadId: idField,
  parentId: z.optional(textOrNull),
  createdAt: time,
  deletedAt: time,
  message: z.object({
    role: z.enum(['user', 'assistant']),
    parts: z.array(z.unknown()),
    metadata: z.catch(z.object({ modelId: textOrNull, modelName: textOrNull, modelIcon: textOrEmpty }), {
      modelId: null,
      modelName: null,
      modelIcon: '',
    }),
  }),
})

export type ThreadRow = z.infer<typeof threadRowSchema>
export type MessageRow = z.infer<typeof messageRowSchema>

const textPart = z.object({ type: z.enum(['text', 'reasoning']), text: z.string() })
const filePart = z.object({
  type: z.literal('file'),
  url: z.string(),
  mediaType: z.string(),
  filename: textOrEmpty,
  sizeBytes: z.number(),
  pages: z.optional(z.number()),
})

/** A deleted message hides the messages below it, so these are left out as well. */
export function fromParley(thread: ThreadRow, rows: readonly MessageRow[], isOwn: boolean): SourceThread {
  const deletedIds = new Set(rows.filter(({ deletedAt }) => deletedAt !== null).map(({ id }) => id))
  const below = Map.groupBy(rows, ({ parentId }) => parentId ?? null)
  const waiting = [...deletedIds]
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop())
    for (const child of below.get(id) ?? []) {
      if (deletedIds.has(child.id)) continue
      deletedIds.add(child.id)
      waiting.push(child.id)
    }
  return {
    id: thread.id,
    hasOwnIds: isOwn,
    title: thread.title ?? null,
    createdAtMs: timeMs(thread.createdAt),
    updatedAtMs: timeMs(thread.updatedAt),
    headId: thread.headId ?? null,
    isArchived: thread.archivedAt !== null,
    messages: rows.filter(({ id }) => !deletedIds.has(id)).map(messageOf),
  }
}

function messageOf({ id, parentId = null, createdAt, message: { role, parts, metadata } }: MessageRow): SourceMessage {
  const texts = parts.flatMap((part) => textPart.safeParse(part).data ?? [])
  const textsOf = (type: 'text' | 'reasoning') => texts.flatMap((part) => (part.type === type ? [part.text] : [])).join('\n\n')
  const named = modelNamed(metadata.modelName ?? metadata.modelId)
  const model = named && {
    ...named,
    id: modelNamed(metadata.modelId)?.id ?? named.id,
    icon: modelNamed(metadata.modelIcon)?.id ?? named.icon,
  }
  const reasoning = textsOf('reasoning')
  return {
    id,
    parentId,
    role,
    text: textsOf('text'),
    ...(reasoning ? { reasoning } : {}),
    model: role === 'user' ? undefined : model,
    files: parts.flatMap(fileOf),
    createdAtMs: timeMs(createdAt),
  }
}

const filesPath = '/api/files/'

function fileOf(part: unknown): readonly SourceFile[] {
  const read = filePart.safeParse(part)
  if (!read.success || !read.data.url.startsWith(filesPath)) return []
  const { url, filename, mediaType, sizeBytes, pages } = read.data
  return parseFiles([{ id: url.slice(filesPath.length), name: filename, mediaType, sizeBytes, pages }]).map((file) => ({
    kind: 'stored',
    file,
  }))
}

/** The file of "Download my data", and the JSON file of one thread: lists of rows. The rows of a thread are not together. */
import * as z from 'zod/mini'
import { parseFiles } from '../../../../../worker/contract/files/files.ts'
import { idField, modelNamed, textOrEmpty, textOrNull, timeMs } from './fields.ts'
import type { SourceMessage, SourceThread } from './source-thread.ts'
import { addToolCall, addToolResult, contentOf, emptyParts, readPart, sourceLinks, type TurnParts } from './turn-parts.ts'

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

const partSchema = z.looseObject({ type: textOrEmpty, text: textOrEmpty })
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
  const named = modelNamed(metadata.modelName ?? metadata.modelId)
  const model = named && {
    ...named,
    id: modelNamed(metadata.modelId)?.id ?? named.id,
    icon: modelNamed(metadata.modelIcon)?.id ?? named.icon,
  }
  return { id, parentId, createdAtMs: timeMs(createdAt), ...contentOf(partsOf(parts), role, model) }
}

function partsOf(stored: readonly unknown[]): TurnParts {
  const parts = emptyParts()
  const sources: unknown[] = []
  for (const each of stored) {
    const part = readPart(parts, partSchema, each)
    if (!part) continue
    const { type, text, input, output } = part
    if (type === 'text') parts.texts.push(text)
    else if (type === 'reasoning') parts.thoughts.push(text)
    else if (type === 'file') addFile(parts, each)
    else if (type === 'source-url') sources.push(each)
    else if (type.startsWith('tool-')) {
      addToolCall(parts, type.slice('tool-'.length), input)
      addToolResult(parts, '', output)
    } else if (type !== 'step-start') parts.problems.add('unknown_content')
  }
  parts.texts.push(sourceLinks(sources))
  return parts
}

const filesPath = '/api/files/'

function addFile(parts: TurnParts, part: unknown): void {
  const read = filePart.safeParse(part)
  const { url = '', filename: name, ...head } = read.data ?? {}
  const files = url.startsWith(filesPath) ? parseFiles([{ id: url.slice(filesPath.length), name, ...head }]) : []
  for (const file of files) parts.files.push({ kind: 'stored', file })
  if (files.length > 0) return
  parts.texts.push(`[${name || 'file'}]`)
  parts.problems.add('file_left_out')
}

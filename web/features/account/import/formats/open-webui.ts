/** A chat of Open WebUI's export: `chat.history` has the messages of a tree by id. Images are data URLs. */
import * as z from 'zod/mini'
import { flag, idField, modelNamed, textOrEmpty, textOrNull, timeMs } from './fields.ts'
import type { SourceFile, SourceMessage, SourceThread } from './source-thread.ts'

const messageSchema = z.object({
  id: z.optional(idField),
  parentId: z.optional(textOrNull),
  role: z.enum(['user', 'assistant']),
  content: z.catch(z.union([z.string(), z.array(z.unknown())]), ''),
  model: z.optional(textOrNull),
  modelName: z.optional(textOrNull),
  timestamp: z.optional(z.unknown()),
  files: z.catch(z.array(z.unknown()), []),
})

export const openWebUiSchema = z.object({
  id: z.optional(idField),
  title: z.optional(textOrNull),
  created_at: z.optional(z.unknown()),
  updated_at: z.optional(z.unknown()),
  archived: flag,
  chat: z.object({
    title: z.optional(textOrNull),
    models: z.catch(z.array(z.string()), []),
    history: z.catch(z.object({ messages: z.record(z.string(), z.unknown()), currentId: z.optional(textOrNull) }), { messages: {} }),
    messages: z.catch(z.array(z.unknown()), []),
  }),
})

const fileSchema = z.object({ type: z.literal('image'), url: z.string(), name: z.optional(textOrEmpty) })
const textPart = z.object({ type: z.literal('text'), text: z.string() })
const imagePart = z.object({ type: z.literal('image_url'), image_url: z.object({ url: z.string() }) })

export function fromOpenWebUi(entry: z.infer<typeof openWebUiSchema>, fallbackId: string): SourceThread {
  const { chat } = entry
  const [model] = chat.models
  const inTree = Object.entries(chat.history.messages).flatMap(([id, stored]) => {
    const read = messageSchema.safeParse(stored)
    return read.success ? [messageOf(id, read.data.parentId ?? null, read.data, model)] : []
  })
  return {
    id: entry.id ?? fallbackId,
    title: entry.title ?? chat.title ?? null,
    createdAtMs: timeMs(entry.created_at),
    updatedAtMs: timeMs(entry.updated_at),
    headId: chat.history.currentId ?? null,
    isArchived: entry.archived,
    messages: inTree.length > 0 ? inTree : listed(chat.messages, model),
  }
}

/** Older exports have only the shown messages, in order. */
function listed(stored: readonly unknown[], model: string | undefined): readonly SourceMessage[] {
  const messages: SourceMessage[] = []
  for (const [index, each] of stored.entries()) {
    const read = messageSchema.safeParse(each)
    if (read.success) messages.push(messageOf(read.data.id ?? `message-${index}`, messages.at(-1)?.id ?? null, read.data, model))
  }
  return messages
}

function messageOf(
  id: string,
  parentId: string | null,
  { role, content, model, modelName, timestamp, files }: z.infer<typeof messageSchema>,
  threadModel: string | undefined,
): SourceMessage {
  const parts = typeof content === 'string' ? [] : content
  const { text, reasoning } = withoutDetails(
    typeof content === 'string' ? content : parts.flatMap((part) => textPart.safeParse(part).data?.text ?? []).join('\n\n'),
  )
  return {
    id,
    parentId,
    role,
    text,
    ...(reasoning ? { reasoning } : {}),
    model: role === 'user' ? undefined : (modelNamed(modelName) ?? modelNamed(model) ?? modelNamed(threadModel)),
    files: [...files.flatMap(fileOf), ...parts.flatMap((part) => inline(imagePart.safeParse(part).data?.image_url.url))],
    createdAtMs: timeMs(timestamp),
  }
}

const inline = (url: string | undefined, name = 'image'): readonly SourceFile[] =>
  url?.startsWith('data:image/') ? [{ kind: 'inline', url, name: name || 'image' }] : []

const fileOf = (file: unknown): readonly SourceFile[] => {
  const read = fileSchema.safeParse(file)
  return read.success ? inline(read.data.url, read.data.name) : []
}

const detailsStart = '<details type="reasoning"'
const detailsEnd = '</details>'

/** Open WebUI stores the reasoning in the text, as an HTML element with a summary and quoted lines. */
function withoutDetails(content: string): { readonly text: string; readonly reasoning: string } {
  const start = content.indexOf(detailsStart)
  const end = start < 0 ? -1 : content.indexOf(detailsEnd, start)
  if (end < 0) return { text: content, reasoning: '' }
  const inner = content.slice(content.indexOf('>', start) + 1, end)
  const summaryEnd = inner.indexOf('</summary>')
  const reasoning = inner
    .slice(summaryEnd < 0 ? 0 : summaryEnd + '</summary>'.length)
    .split('\n')
    .map((line) => line.replace(/^(?:&gt;|>) ?/, ''))
    .join('\n')
    .trim()
  return { text: (content.slice(0, start) + content.slice(end + detailsEnd.length)).trim(), reasoning }
}

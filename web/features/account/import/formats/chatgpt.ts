/** A conversation of ChatGPT's export: `mapping` has the nodes of a tree by id. Tool calls, instructions and hidden messages are left out. */
import * as z from 'zod/mini'
import { flag, idField, modelNamed, textOrNull, timeMs } from './fields.ts'
import type { SourceFile, SourceMessage, SourceThread } from './source-thread.ts'

const messageSchema = z.object({
  author: z.object({ role: z.string() }),
  content: z.object({ content_type: z.catch(z.string(), ''), parts: z.catch(z.array(z.unknown()), []) }),
  create_time: z.optional(z.unknown()),
  recipient: z.catch(z.string(), 'all'),
  metadata: z.catch(
    z.object({
      model_slug: z.optional(textOrNull),
      is_visually_hidden_from_conversation: z.optional(flag),
      attachments: z.catch(z.array(z.unknown()), []),
    }),
    { attachments: [] },
  ),
})

const nodeSchema = z.object({ parent: z.catch(z.nullable(z.string()), null), message: z.optional(z.unknown()) })

export const chatGptSchema = z.object({
  mapping: z.record(z.string(), z.unknown()),
  conversation_id: z.optional(idField),
  id: z.optional(idField),
  title: textOrNull,
  create_time: z.optional(z.unknown()),
  update_time: z.optional(z.unknown()),
  current_node: textOrNull,
  is_archived: flag,
})

const imagePart = z.object({ content_type: z.literal('image_asset_pointer'), asset_pointer: z.string() })
const thoughtsSchema = z.object({ thoughts: z.array(z.object({ content: z.string() })) })

/**
 * Private-use characters around the marks of citations, which name sources that the file does not have. A mark contains no start of another
 * one, so the time is linear in the length of the text.
 */
const citationMarks = /\uE200[^\uE200\uE201]*\uE201|[\uE200-\uE20F]|【\d+†[^【】]*】/gu

export function fromChatGpt(conversation: z.infer<typeof chatGptSchema>, fallbackId: string): SourceThread {
  const { mapping, title, create_time, update_time, current_node, is_archived } = conversation
  return {
    id: conversation.conversation_id ?? conversation.id ?? fallbackId,
    title,
    createdAtMs: timeMs(create_time),
    updatedAtMs: timeMs(update_time),
    headId: current_node,
    isArchived: is_archived,
    messages: Object.entries(mapping).flatMap(([id, node]) => {
      const read = nodeSchema.safeParse(node)
      return read.success ? [messageOf(id, read.data.parent, read.data.message)] : []
    }),
  }
}

/** A node without content keeps its position in the tree. */
function messageOf(id: string, parentId: string | null, stored: unknown): SourceMessage {
  const empty = { id, parentId, role: 'assistant', text: '', createdAtMs: null } as const
  const read = messageSchema.safeParse(stored)
  if (!read.success) return empty
  const { author, content, create_time, recipient, metadata } = read.data
  const createdAtMs = timeMs(create_time)
  const files = content.parts.flatMap(imageOf)
  // The images that a tool has drawn belong to the answer.
  const isDrawn = author.role === 'tool' && files.length > 0
  if (metadata.is_visually_hidden_from_conversation || (!isDrawn && author.role !== 'user' && author.role !== 'assistant')) return empty
  if (author.role === 'assistant' && recipient !== 'all') return empty
  const thoughts = thoughtsSchema.safeParse(isRecordWith(stored, 'content'))
  const reasoning = thoughts.success ? thoughts.data.thoughts.map((thought) => thought.content).join('\n\n') : ''
  const isShown = content.content_type === 'text' || content.content_type === 'multimodal_text'
  const text = isShown && !isDrawn ? content.parts.flatMap(textIn).join('\n\n').replaceAll(citationMarks, '').trim() : ''
  return {
    id,
    parentId,
    role: author.role === 'user' ? 'user' : 'assistant',
    text,
    ...(reasoning ? { reasoning } : {}),
    model: author.role === 'user' ? undefined : modelNamed(metadata.model_slug),
    files,
    createdAtMs,
  }
}

const isRecordWith = (value: unknown, field: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[field] : undefined

/** A spoken message has its text in an object. */
const spoken = z.object({ content_type: z.literal('audio_transcription'), text: z.string() })

function textIn(part: unknown): readonly string[] {
  if (typeof part === 'string') return [part]
  const read = spoken.safeParse(part)
  return read.success ? [read.data.text] : []
}

/** `file-service://file-…` and `sediment://file_…`. */
function imageOf(part: unknown): readonly SourceFile[] {
  const read = imagePart.safeParse(part)
  const id = read.success ? /^[a-z-]+:\/\/(file[-_][A-Za-z0-9]+)/.exec(read.data.asset_pointer)?.[1] : undefined
  return id ? [{ kind: 'archived', id }] : []
}

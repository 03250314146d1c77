/** Parses a conversation of LibreChat's JSON export: a flat list of messages, or a tree with `children` in each message. */
import * as z from 'zod/mini'
import { idField, modelNamed, textOrEmpty, textOrNull, timeMs } from './fields.ts'
import type { SourceMessage, SourceThread } from './source-thread.ts'

const messageSchema = z.object({
  messageId: idField,
  parentMessageId: z.optional(textOrNull),
  isCreatedByUser: z.optional(z.catch(z.nullable(z.boolean()), null)),
  sender: textOrEmpty,
  text: textOrEmpty,
  content: z.catch(z.array(z.unknown()), []),
  model: z.optional(textOrNull),
  createdAt: z.optional(z.unknown()),
  children: z.catch(z.array(z.unknown()), []),
})

export const libreChatSchema = z.object({
  conversationId: z.optional(z.nullable(idField)),
  title: z.optional(textOrNull),
  endpoint: z.optional(textOrNull),
  exportAt: z.optional(z.unknown()),
  createdAt: z.optional(z.unknown()),
  updatedAt: z.optional(z.unknown()),
  options: z.catch(z.object({ model: z.optional(textOrNull) }), {}),
  messages: z.array(z.unknown()),
})

/** The parent of a first message. */
const noParent = '00000000-0000-0000-0000-000000000000'

const textPart = z.object({ type: z.literal('text'), text: z.union([z.string(), z.object({ value: z.string() })]) })
const thinkPart = z.object({ type: z.literal('think'), think: z.string() })

export function fromLibreChat(conversation: z.infer<typeof libreChatSchema>, fallbackId: string): SourceThread {
  const model = conversation.options.model ?? conversation.endpoint ?? null
  const messages: SourceMessage[] = []
  const waiting = conversation.messages.map((stored) => ({ stored, parentId: null as string | null })).reverse()
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const read = messageSchema.safeParse(next.stored)
    if (!read.success) continue
    const { messageId, parentMessageId, children } = read.data
    const named = parentMessageId === noParent ? null : parentMessageId
    messages.push(messageOf(read.data, named ?? next.parentId, model))
    for (const child of children.toReversed()) waiting.push({ stored: child, parentId: messageId })
  }
  const times = messages.flatMap(({ createdAtMs }) => createdAtMs ?? [])
  return {
    id: conversation.conversationId ?? fallbackId,
    title: conversation.title ?? null,
    createdAtMs: timeMs(conversation.createdAt) ?? times.reduce<number | null>(least, null),
    updatedAtMs: timeMs(conversation.updatedAt) ?? times.reduce<number | null>(greatest, timeMs(conversation.exportAt)),
    headId: null,
    messages,
  }
}

const least = (a: number | null, b: number): number => (a === null ? b : Math.min(a, b))
const greatest = (a: number | null, b: number): number => (a === null ? b : Math.max(a, b))

function messageOf(message: z.infer<typeof messageSchema>, parentId: string | null, threadModel: string | null): SourceMessage {
  const { messageId, isCreatedByUser, sender, text, content, model, createdAt } = message
  const isUser = isCreatedByUser ?? sender.toLowerCase() === 'user'
  const texts = content.flatMap((part) => {
    const read = textPart.safeParse(part)
    return read.success ? [typeof read.data.text === 'string' ? read.data.text : read.data.text.value] : []
  })
  const thoughts = content.flatMap((part) => {
    const read = thinkPart.safeParse(part)
    return read.success ? [read.data.think] : []
  })
  return {
    id: messageId,
    parentId,
    role: isUser ? 'user' : 'assistant',
    text: texts.length > 0 ? texts.join('\n\n') : text,
    ...(thoughts.length > 0 ? { reasoning: thoughts.join('\n\n') } : {}),
    model: isUser ? undefined : (modelNamed(model) ?? modelNamed(threadModel) ?? modelNamed(sender)),
    createdAtMs: timeMs(createdAt),
  }
}

/** Parses a conversation of LibreChat's JSON export: a flat list of messages, or a tree with `children` in each message. */
import * as z from 'zod/mini'
import { isRecord } from '../../../../../worker/contract/is-record.ts'
import { idField, listOrEmpty, modelNamed, textOrEmpty, textOrNull, timeMs } from './fields.ts'
import { emptyMessage, type SourceMessage, type SourceThread } from './source-thread.ts'
import {
  addAttachment,
  addToolCall,
  addToolResult,
  codeSpan,
  contentOf,
  emptyParts,
  hasText,
  joinedTexts,
  readPart,
  type TurnParts,
  textIn,
} from './turn-parts.ts'

const messageSchema = z.object({
  messageId: z.optional(z.catch(z.nullable(idField), null)),
  parentMessageId: z.optional(textOrNull),
  isCreatedByUser: z.optional(z.catch(z.nullable(z.boolean()), null)),
  sender: textOrEmpty,
  role: textOrEmpty,
  text: textOrEmpty,
  content: z.catch(z.union([z.string(), z.array(z.unknown())]), []),
  files: listOrEmpty,
  /** Files that tools have made. */
  attachments: listOrEmpty,
  reasoning: z.optional(z.unknown()),
  model: z.optional(textOrNull),
  createdAt: z.optional(z.unknown()),
  children: listOrEmpty,
})

export const libreChatSchema = z.object({
  conversationId: z.optional(z.nullable(idField)),
  title: z.optional(textOrNull),
  endpoint: z.optional(textOrNull),
  exportAt: z.optional(z.unknown()),
  createdAt: z.optional(z.unknown()),
  updatedAt: z.optional(z.unknown()),
  options: z.catch(z.object({ model: z.optional(textOrNull), promptPrefix: textOrEmpty, system: textOrEmpty }), {
    promptPrefix: '',
    system: '',
  }),
  messages: z.array(z.unknown()),
})

/** The parent of a first message. */
const noParent = '00000000-0000-0000-0000-000000000000'

export function fromLibreChat(conversation: z.infer<typeof libreChatSchema>, fallbackId: string): SourceThread {
  const { model, endpoint, promptPrefix, system } = { ...conversation, ...conversation.options }
  const messages: SourceMessage[] = []
  const waiting = conversation.messages.map((stored) => ({ stored, parentId: null as string | null })).reverse()
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const read = messageSchema.safeParse(next.stored)
    const before = next.parentId ?? messages.at(-1)?.id ?? null
    if (!read.success) {
      messages.push(emptyMessage(`message-${messages.length}`, before, ['damaged']))
      continue
    }
    const { messageId, parentMessageId, children } = read.data
    const named = parentMessageId === noParent ? null : parentMessageId
    // A message without an id and a parent is in a plain list.
    const parentId = messageId == null && parentMessageId === undefined ? before : (named ?? next.parentId)
    const message = messageOf(read.data, messageId ?? `message-${messages.length}`, parentId, model ?? endpoint ?? null)
    messages.push(message)
    for (const child of children.toReversed()) waiting.push({ stored: child, parentId: message.id })
  }
  const times = messages.flatMap(({ createdAtMs }) => createdAtMs ?? [])
  return {
    id: conversation.conversationId ?? fallbackId,
    title: conversation.title ?? null,
    createdAtMs: timeMs(conversation.createdAt) ?? times.reduce<number | null>(least, null),
    updatedAtMs: timeMs(conversation.updatedAt) ?? times.reduce<number | null>(greatest, timeMs(conversation.exportAt)),
    headId: null,
    problems: promptPrefix.trim() || system.trim() ? ['hidden_text'] : [],
    messages,
  }
}

const least = (a: number | null, b: number): number => (a === null ? b : Math.min(a, b))
const greatest = (a: number | null, b: number): number => (a === null ? b : Math.max(a, b))

function messageOf(message: z.infer<typeof messageSchema>, id: string, parentId: string | null, threadModel: string | null): SourceMessage {
  const { isCreatedByUser, sender, model, createdAt } = message
  const named = (message.role || sender).toLowerCase()
  const isUser = isCreatedByUser ?? named === 'user'
  const role = isUser ? 'user' : 'assistant'
  const at = { id, parentId, createdAtMs: timeMs(createdAt) }
  if (named === 'system') return { ...at, role: 'assistant', text: '', problems: ['hidden_text'] }
  return { ...at, ...contentOf(partsOf(message), role, modelNamed(model) ?? modelNamed(threadModel) ?? modelNamed(sender)) }
}

function partsOf({ text, content, files, attachments, reasoning }: z.infer<typeof messageSchema>): TurnParts {
  const parts = emptyParts()
  for (const each of [...files, ...attachments]) addFile(parts, each)
  parts.thoughts.push(textIn(isRecord(reasoning) ? reasoning.content : reasoning))
  const names = parts.texts.length
  if (typeof content === 'string') parts.texts.push(content)
  else for (const part of content) addPart(parts, part)
  if (joinedTexts(parts.texts.slice(names)) === '') parts.texts.push(withoutThoughts(parts, text))
  return parts
}

/** Older versions have the thoughts in the text. */
function withoutThoughts(parts: TurnParts, text: string): string {
  const [all = '', thoughts = ''] = /^\s*:::thinking\n([\s\S]*?)\n:::(?:\n|$)/.exec(text) ?? []
  parts.thoughts.push(thoughts)
  return withoutDirectives(text.slice(all.length).trim())
}

/** An artifact is a code block between two directive lines. Of these, only the title is of use to a reader. */
function withoutDirectives(text: string): string {
  let isOpen = false
  const lines = text.split('\n').map((line) => {
    const [, fields] = /^:::artifact\{(.*)\}\s*$/.exec(line) ?? []
    const isEnd = isOpen && /^:::\s*$/.test(line)
    if (fields !== undefined) isOpen = true
    if (isEnd) isOpen = false
    return fields !== undefined ? `${codeSpan(/\btitle="([^"]*)"/.exec(fields)?.[1] || 'artifact')}\n` : isEnd ? '' : line
  })
  return lines.join('\n').trimEnd()
}

const fileSchema = z.object({ filename: textOrEmpty, filepath: textOrEmpty, type: textOrEmpty })

function addFile(parts: TurnParts, stored: unknown): void {
  const { filename = '', filepath = '' } = fileSchema.safeParse(stored).data ?? {}
  addAttachment(parts, filename || filepath || 'file')
}

const partSchema = z.looseObject({ type: textOrEmpty })
const callSchema = z.object({ name: textOrEmpty, args: z.optional(z.unknown()), output: z.optional(z.unknown()) })

function addPart(parts: TurnParts, stored: unknown): void {
  if (typeof stored === 'string') {
    parts.texts.push(stored)
    return
  }
  const part = readPart(parts, partSchema, stored)
  if (!part) return
  const { type } = part
  const value = part[type]
  /** Some versions have the text in an object. */
  const text = textIn(value) || (isRecord(value) ? textIn(value.value) : '') || textIn(part.text)
  if (type === 'think') parts.thoughts.push(text)
  else if (type === 'tool_call') {
    const { name = '', args, output } = callSchema.safeParse(value).data ?? callSchema.safeParse(part).data ?? {}
    addToolCall(parts, name, args)
    addToolResult(parts, name, output)
  } else if (type === 'image_url' && isRecord(value) && textIn(value.url).startsWith('data:image/'))
    parts.files.push({ kind: 'inline', url: textIn(value.url), name: 'image' })
  else if (type.startsWith('image')) addFile(parts, value)
  else if (text !== '') parts.texts.push(withoutDirectives(text))
  else if (hasText({ ...part, type: '' })) parts.problems.add('unknown_content')
}

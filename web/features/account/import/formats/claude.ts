/** A conversation of Claude's export. Older exports are a list of messages; newer ones name the parent of each message. */
import * as z from 'zod/mini'
import { idField, listOrEmpty, modelNamed, textOrEmpty, textOrNull, timeMs } from './fields.ts'
import { emptyMessage, type SourceMessage, type SourceThread } from './source-thread.ts'
import {
  addAttachment,
  addToolCall,
  addToolResult,
  contentOf,
  emptyParts,
  hasText,
  joinedTexts,
  readPart,
  sourceLinks,
  type TurnParts,
  textIn,
} from './turn-parts.ts'

const messageSchema = z.object({
  uuid: z.optional(z.catch(z.nullable(idField), null)),
  sender: textOrEmpty,
  text: textOrEmpty,
  content: z.catch(z.union([z.string(), z.array(z.unknown())]), []),
  created_at: z.optional(z.unknown()),
  parent_message_uuid: z.optional(textOrNull),
  attachments: listOrEmpty,
  files: listOrEmpty,
})

export const claudeSchema = z.object({
  uuid: z.optional(idField),
  name: textOrNull,
  model: z.optional(textOrNull),
  created_at: z.optional(z.unknown()),
  updated_at: z.optional(z.unknown()),
  current_leaf_message_uuid: z.optional(textOrNull),
  chat_messages: z.array(z.unknown()),
})

export function fromClaude(conversation: z.infer<typeof claudeSchema>, fallbackId: string): SourceThread {
  const messages: SourceMessage[] = []
  const ids = new Set<string>()
  for (const [index, stored] of conversation.chat_messages.entries()) {
    const read = messageSchema.safeParse(stored)
    const before = messages.at(-1)?.id ?? null
    if (!read.success) {
      messages.push(emptyMessage(`message-${index}`, before, ['damaged']))
      continue
    }
    const { uuid, sender, created_at, parent_message_uuid } = read.data
    const id = uuid == null || ids.has(uuid) ? `message-${index}` : uuid
    ids.add(id)
    const role = sender === 'human' || sender === 'user' ? 'user' : 'assistant'
    messages.push({
      id,
      parentId: parent_message_uuid === undefined ? before : parent_message_uuid,
      createdAtMs: timeMs(created_at),
      ...contentOf(partsOf(read.data), role, modelNamed(conversation.model) ?? modelNamed('Claude')),
    })
  }
  return {
    id: conversation.uuid ?? fallbackId,
    title: conversation.name,
    createdAtMs: timeMs(conversation.created_at),
    updatedAtMs: timeMs(conversation.updated_at),
    headId: conversation.current_leaf_message_uuid ?? null,
    messages,
  }
}

const attachmentSchema = z.object({ file_name: textOrEmpty, extracted_content: textOrEmpty })
const fileSchema = z.object({ file_name: z.string().check(z.minLength(1)) })

function partsOf({ text, content, attachments, files }: z.infer<typeof messageSchema>): TurnParts {
  const parts = emptyParts()
  for (const each of attachments) {
    const { file_name = '', extracted_content = '' } = attachmentSchema.safeParse(each).data ?? {}
    addAttachment(parts, file_name || 'attachment', extracted_content)
  }
  for (const each of files) {
    const read = fileSchema.safeParse(each)
    if (read.success) addAttachment(parts, read.data.file_name)
  }
  const before = sizeOf(parts)
  for (const block of Array.isArray(content) ? content : []) addBlock(parts, block)
  // Beside words and tools, `text` repeats the words, or has a sentence of excuse in place of the tools.
  if (sizeOf(parts) === before) for (const each of new Set([text, textIn(content)])) addText(parts, each)
  return parts
}

const sizeOf = ({ texts, tools }: TurnParts): number => joinedTexts(texts).length + tools.size

const blockSchema = z.looseObject({
  type: textOrEmpty,
  text: textOrEmpty,
  thinking: textOrEmpty,
  name: textOrEmpty,
  title: textOrEmpty,
  is_error: z.catch(z.boolean(), false),
  citations: listOrEmpty,
})
const citationSchema = z.looseObject({ details: z.catch(z.looseObject({}), {}) })

function addBlock(parts: TurnParts, stored: unknown): void {
  const block = readPart(parts, blockSchema, stored)
  if (!block) return
  const { type, text, thinking, name, title, is_error, citations, input, content } = block
  switch (type) {
    case 'text': {
      const sources = citations.map((each) => {
        const { details, ...citation } = citationSchema.safeParse(each).data ?? {}
        return { ...citation, ...details }
      })
      addText(parts, [text, sourceLinks(sources)].filter(Boolean).join(' '))
      return
    }
    case 'thinking':
      parts.thoughts.push(thinking)
      return
    case 'tool_use':
    case 'server_tool_use':
      addToolCall(parts, name, input)
      return
    case 'token_budget':
    case 'redacted_thinking':
      return
  }
  if (type.endsWith('tool_result')) addToolResult(parts, name, content ?? text, is_error)
  // For example a spoken note.
  else if (text !== '') parts.texts.push(joinedTexts([title && `**${title}**`, text]))
  else if (hasText({ ...block, type: '' })) parts.problems.add('unknown_content')
}

/** Exports of 2024 have artifacts and thoughts as elements in the text. None contains the start of another one, so the time is linear. */
const element = /<ant(Artifact|Thinking)\b([^<>]*)>((?:(?!<ant)[\s\S])*?)<\/ant\1>/g
const attributes = /\b(\w+)="([^"]*)"/g

function addText(parts: TurnParts, text: string): void {
  let end = 0
  for (const match of text.includes('</ant') ? text.matchAll(element) : []) {
    const [all, kind, written = '', inner = ''] = match
    parts.texts.push(text.slice(end, match.index).trim())
    end = match.index + all.length
    if (kind === 'Thinking') parts.thoughts.push(inner.trim())
    else
      addToolCall(parts, 'artifacts', {
        ...Object.fromEntries([...written.matchAll(attributes)].map(([, name = '', value]) => [name, value])),
        content: inner.trim(),
      })
  }
  parts.texts.push(end === 0 ? text : text.slice(end).trim())
}

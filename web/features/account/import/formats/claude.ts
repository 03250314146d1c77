/** A conversation of Claude's export. Older exports are a list of messages; newer ones name the parent of each message. */
import * as z from 'zod/mini'
import { idField, modelNamed, textOrEmpty, textOrNull, timeMs } from './fields.ts'
import type { SourceMessage, SourceThread } from './source-thread.ts'

const messageSchema = z.object({
  uuid: idField,
  sender: z.enum(['human', 'assistant']),
  text: textOrEmpty,
  content: z.catch(z.array(z.unknown()), []),
  created_at: z.optional(z.unknown()),
  parent_message_uuid: z.optional(textOrNull),
  attachments: z.catch(z.array(z.unknown()), []),
  files: z.catch(z.array(z.unknown()), []),
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

const textBlock = z.object({ type: z.literal('text'), text: z.string() })
const thinkingBlock = z.object({ type: z.literal('thinking'), thinking: z.string() })
const attachmentSchema = z.object({ file_name: textOrEmpty, extracted_content: textOrEmpty })
const fileSchema = z.object({ file_name: z.string() })

export function fromClaude(conversation: z.infer<typeof claudeSchema>, fallbackId: string): SourceThread {
  const messages: SourceMessage[] = []
  for (const stored of conversation.chat_messages) {
    const read = messageSchema.safeParse(stored)
    if (!read.success) continue
    const { uuid, sender, created_at, parent_message_uuid } = read.data
    const reasoning = blocksOf(read.data.content, thinkingBlock).map(({ thinking }) => thinking)
    messages.push({
      id: uuid,
      parentId: parent_message_uuid === undefined ? (messages.at(-1)?.id ?? null) : parent_message_uuid,
      role: sender === 'human' ? 'user' : 'assistant',
      text: textOf(read.data),
      ...(reasoning.length > 0 ? { reasoning: reasoning.join('\n\n') } : {}),
      model: sender === 'human' ? undefined : (modelNamed(conversation.model) ?? modelNamed('Claude')),
      createdAtMs: timeMs(created_at),
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

/** The export has the text of attachments, but not the files themselves; a file appears by its name. */
function textOf({ text, content, attachments, files }: z.infer<typeof messageSchema>): string {
  const blocks = blocksOf(content, textBlock).map((block) => block.text)
  const written = blocks.length > 0 ? blocks.join('\n\n') : text
  const attached = blocksOf(attachments, attachmentSchema).map(({ file_name, extracted_content }) =>
    extracted_content === '' ? `[${file_name}]` : `[${file_name}]\n\n${fenced(extracted_content)}`,
  )
  const names = blocksOf(files, fileSchema).map(({ file_name }) => `[${file_name}]`)
  return [...attached, ...names, written].filter((part) => part.trim() !== '').join('\n\n')
}

/** A fence longer than every run of backticks in the text. */
function fenced(text: string): string {
  // Not `Math.max(...runs)`: a large text has more runs than a call may have arguments.
  const longest = [...text.matchAll(/`{3,}/g)].reduce((length, [run]) => Math.max(length, run.length), 2)
  const fence = '`'.repeat(Math.min(longest + 1, 50))
  return `${fence}\n${text}\n${fence}`
}

const blocksOf = <Block>(blocks: readonly unknown[], schema: z.ZodMiniType<Block>): readonly Block[] =>
  blocks.flatMap((block) => {
    const read = schema.safeParse(block)
    return read.success ? [read.data] : []
  })

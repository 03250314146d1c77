/** One conversation of a file. The format is chosen by its fields, and a conversation that does not have its form is a problem. */
import type * as z from 'zod/mini'
import { isRecord } from '../../../../../worker/contract/is-record.ts'
import { chatGptSchema, fromChatGpt } from './chatgpt.ts'
import { claudeSchema, fromClaude } from './claude.ts'
import { deepSeekSchema, fromDeepSeek } from './deepseek.ts'
import { fromLibreChat, libreChatSchema } from './librechat.ts'
import { fromOpenWebUi, openWebUiSchema } from './open-webui.ts'
import type { Problem } from './problem.ts'
import type { SourceThread } from './source-thread.ts'

export type Entry = { readonly thread: SourceThread } | { readonly problem: Problem }

const read =
  <Schema extends z.ZodMiniType>(schema: Schema, threadOf: (value: z.output<Schema>, fallbackId: string) => SourceThread) =>
  (entry: unknown, fallbackId: string): SourceThread | null => {
    const parsed = schema.safeParse(entry)
    return parsed.success ? threadOf(parsed.data, fallbackId) : null
  }

const chatGpt = read(chatGptSchema, fromChatGpt)
const deepSeek = read(deepSeekSchema, fromDeepSeek)
const openWebUi = read(openWebUiSchema, fromOpenWebUi)

const formats = {
  inserted_at: deepSeek,
  mapping: chatGpt,
  chat_messages: read(claudeSchema, fromClaude),
  chat: openWebUi,
  /** A chat of Open WebUI without its row. */
  history: (entry: unknown, fallbackId: string) => openWebUi({ chat: entry }, fallbackId),
  messages: read(libreChatSchema, fromLibreChat),
}

/** `fallbackId`: used for a conversation without an id. */
export function readEntry(entry: unknown, fallbackId: string): Entry {
  const [, from] = Object.entries(formats).find(([field]) => isRecord(entry) && field in entry) ?? []
  if (!from) return { problem: { title: titleIn(entry), reason: 'unknown_format' } }
  const thread = from(entry, fallbackId)
  return thread ? { thread } : { problem: { title: titleIn(entry), reason: 'damaged' } }
}

function titleIn(entry: unknown): string | null {
  const title = isRecord(entry) ? (entry.title ?? entry.name) : null
  return typeof title === 'string' && title.trim() !== '' ? title.slice(0, 100) : null
}

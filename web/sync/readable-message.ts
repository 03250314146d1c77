/** Leaves out the parts of a stored message that no code here can read, so that one damaged row does not hide its thread. Pure. */
import { isRecord } from '../../worker/contract/is-record.ts'
import type { ChatMessage, MessagePart } from '../../worker/contract/messages.ts'
import type { MessageRow } from './rows.ts'

/** By stored message. Rows keep the identity of their message until it changes. */
const checked = new WeakMap<object, ChatMessage>()
const leftOut = new WeakMap<ChatMessage, readonly unknown[]>()

/** The unreadable parts of a message of `readableRows`. */
export const unreadableParts = (message: ChatMessage): readonly unknown[] => leftOut.get(message) ?? []

export const readableRows = <Row extends MessageRow>(rows: readonly Row[]): readonly Row[] =>
  rows.every(({ message }) => readable(message) === message) ? rows : rows.map((row) => ({ ...row, message: readable(row.message) }))

function readable(stored: unknown): ChatMessage {
  const message = isRecord(stored) ? stored : {}
  const known = checked.get(message)
  if (known) return known
  const parts = Array.isArray(message.parts) ? (message.parts as readonly unknown[]) : [message.parts ?? null]
  const rest = parts.filter((part) => !isReadable(part))
  const result = (rest.length === 0 ? message : { ...message, parts: parts.filter(isReadable) }) as ChatMessage
  checked.set(message, result)
  if (rest.length > 0) leftOut.set(result, rest)
  return result
}

/** Checks the fields that the code reads outside of the component that draws the part. */
function isReadable(part: unknown): part is MessagePart {
  if (!isRecord(part) || typeof part.type !== 'string') return false
  const hasTexts = (...names: readonly string[]) => names.every((name) => typeof part[name] === 'string')
  if (part.type === 'text' || part.type === 'reasoning') return hasTexts('text')
  if (part.type === 'file') return hasTexts('url', 'mediaType')
  if (part.type === 'source-url') return hasTexts('url')
  if (!part.type.startsWith('tool-')) return true
  const results = isRecord(part.output) && Array.isArray(part.output.results) ? part.output.results : []
  return hasTexts('toolCallId', 'state') && results.every(isRecord)
}

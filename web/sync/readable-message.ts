/** Leaves out the parts of a stored message that no code here can read, so that one damaged row does not hide its thread. Pure. */
import { isRecord } from '../../worker/contract/is-record.ts'
import type { ChatMessage } from '../../worker/contract/threads/messages.ts'
import { isReadable, partsIn } from '../../worker/contract/threads/readable-parts.ts'
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
  const cached = checked.get(message)
  if (cached) return cached
  const parts = partsIn(message)
  const rest = parts.filter((part) => !isReadable(part))
  const result = (rest.length === 0 ? message : { ...message, parts: parts.filter(isReadable) }) as ChatMessage
  checked.set(message, result)
  if (rest.length > 0) leftOut.set(result, rest)
  return result
}

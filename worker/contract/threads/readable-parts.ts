/** Checks the parts of a stored message, so that one damaged row does not hide its thread. Pure. */
import { isRecord } from '../is-record.ts'
import type { MessagePart } from './messages.ts'

/** Checks the fields that the code reads outside of the component that draws the part. */
export function isReadable(part: unknown): part is MessagePart {
  if (!isRecord(part) || typeof part.type !== 'string') return false
  const hasTexts = (...names: readonly string[]) => names.every((name) => typeof part[name] === 'string')
  if (part.type === 'text' || part.type === 'reasoning') return hasTexts('text')
  if (part.type === 'file') return hasTexts('url', 'mediaType')
  if (part.type === 'source-url') return hasTexts('url')
  if (!part.type.startsWith('tool-')) return true
  const results = isRecord(part.output) && Array.isArray(part.output.results) ? part.output.results : []
  const { source } = part
  const isNamed = source === undefined || (isRecord(source) && typeof source.id === 'string' && typeof source.name === 'string')
  return hasTexts('toolCallId', 'state') && isNamed && results.every(isRecord)
}

/** The parts of a stored message, readable or not. */
export const partsIn = (message: Readonly<Record<string, unknown>>): readonly unknown[] =>
  Array.isArray(message.parts) ? message.parts : [message.parts ?? null]

/**
 * What a model calls, in whole letters. One that stops writing in the midst of an emoji, or writes half of one as an escape of JSON, leaves a
 * half that no text can hold: stored and sent back it would make its vendor refuse whatever is asked next. As in other texts a mark takes
 * its place. Prose is let through as it comes, because its next piece may bring the other half; what of it is told again is mended there.
 */
import type { VendorPart } from './vendor-model.ts'

/** An escape after the other, so that a backslash which is escaped itself begins none: a pair of halves, a half, or anything else. */
const escapes = /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u([dD][89a-fA-F][\da-fA-F]{2})|.)/gs

/** JSON in and out, also where it is broken. */
const inJson = (json: string): string =>
  json.toWellFormed().replace(escapes, (said, half: string | undefined) => (half === undefined ? said : '\\ufffd'))

export function inWholeLetters(part: VendorPart): VendorPart {
  if (part.type === 'tool-input-start') return { ...part, id: part.id.toWellFormed(), toolName: part.toolName.toWellFormed() }
  if (part.type !== 'tool-call') return part
  const { toolCallId, toolName, input } = part
  return { ...part, toolCallId: toolCallId.toWellFormed(), toolName: toolName.toWellFormed(), input: inJson(input) }
}

/** The output of a tool of a server, as it is stored in the message and shown. Bounded, and without characters that a user cannot see. */
import { isRecord } from '../is-record.ts'

export type ServerContent =
  | { readonly type: 'text'; readonly text: string }
  /** Base64 of an image type that browsers show. */
  | { readonly type: 'image'; readonly mediaType: string; readonly data: string }
  | { readonly type: 'link'; readonly url: string; readonly title: string }

export type ServerToolOutput = {
  readonly content: readonly ServerContent[]
  /** Structured content. Absent if the text has the same. */
  readonly data?: unknown
  /** The tool reports that it failed; the text says why. */
  readonly isError?: true | undefined
  /** Something was left out, because it was too large or of an unknown kind. */
  readonly isCut?: true | undefined
}

/** Null for another output. Without Zod, whose unions would be in the first load. */
export const serverOutputOf = (output: unknown): ServerToolOutput | null =>
  isRecord(output) && Array.isArray(output.content) && output.content.every(isContent) ? (output as unknown as ServerToolOutput) : null

const isContent = (content: unknown): boolean => {
  if (!isRecord(content)) return false
  const { type, text, mediaType, data, url, title } = content
  if (type === 'text') return typeof text === 'string'
  if (type === 'image') return typeof data === 'string' && /^image\/[a-z]+$/.test(String(mediaType))
  return type === 'link' && typeof title === 'string' && /^https?:/.test(String(url))
}

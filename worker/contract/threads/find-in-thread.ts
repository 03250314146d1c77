/** Find in one thread: the request, the answer, and the positions of a text. Pure; used by the page and the server. */
import * as z from 'zod/mini'
import { drawnTags } from '../text.ts'
import { type ChatMessage, textOf } from './messages.ts'

/** Searches this message and the messages above it; the page searches those that it has. */
export type FindInThread = { readonly threadId: string; readonly messageId: string; readonly query: string }

/** Messages with the text, from the last to the first. `next`: the message at which the next request continues; null at the first one. */
export const foundInThreadSchema = z.object({
  found: z.array(z.object({ messageId: z.string(), count: z.int() })),
  next: z.nullable(z.string()),
})
type FoundCount = { readonly messageId: string; readonly count: number }
export type FoundInThread = { readonly found: readonly FoundCount[]; readonly next: string | null }

type Occurrence = { readonly from: number; readonly to: number }

/** Every occurrence of the query, in any case and with any white space between its words. Positions are those of the text. */
export function occurrencesOf(query: string, text: string): readonly Occurrence[] {
  const pattern = query
    .trim()
    .split(/\s+/)
    .map((word) => word.replace(/[$()*+./?[\\\]^{|}]/g, '\\$&'))
    .join('\\s+')
  if (pattern === '') return []
  return Array.from(text.matchAll(new RegExp(pattern, 'giu')), ({ 0: found, index }) => ({ from: index, to: index + found.length }))
}

/** The text of a message as the page shows it, approximately: code as written, everything else without Markdown. */
export function shownText(message: ChatMessage): string {
  const text = textOf(message)
  if (message.role === 'user') return text
  return text
    .split(codeBlocks)
    .map((piece, i) => (i % 2 === 1 ? piece.replace(/^.*\n?|\n {0,3}(?:```|~~~)[ \t]*$/g, '') : withoutMarkdown(piece)))
    .join('\n')
}

const codeBlocks = /^ {0,3}((?:```|~~~)[\s\S]*?(?:\n {0,3}(?:```|~~~)[ \t]*$|$(?![\s\S])))/m

const withoutMarkdown = (text: string): string =>
  text
    .split(/(`[^`\n]+`)/)
    .map((piece, i) => (i % 2 === 1 ? piece.slice(1, -1) : markdownToText(piece)))
    .join('')

/** Linear in the length of the text: a formula ends before the next start of one, and an address contains no parentheses but pairs. */
const markdownToText = (text: string): string =>
  text
    .replace(formulas, '')
    .replace(/<br\s*\/?>/gi, '\n')
    .replace(drawnTags, '')
    .replace(/!\[[^[\]]*\]\((?:[^()\n]|\([^()\n]*\))*\)/g, '')
    .replace(/\[([^[\]]*)\]\((?:[^()\n]|\([^()\n]*\))*\)/g, '$1')
    .replace(/^ {0,3}(?:#{1,6}\s+|(?:>\s?)+|[-*+]\s+|\d{1,9}[.)]\s+)/gm, '')
    .replace(/^(?=.*--)[ \t|:-]+$/gm, '')
    .replace(/(?<![ \t])[ \t]*\|[ \t]*/g, '\n')
    .replace(/\*+|~~/g, '')
    .replace(/(?<![\p{L}\p{N}_])_+(?=[\p{L}\p{N}])|(?<=[\p{L}\p{N}.,!?])_+(?![\p{L}\p{N}_])/gu, '')

const formulas = /\$\$[\s\S]*?\$\$|\\\((?:(?!\\\()[\s\S])*?\\\)|\\\[(?:(?!\\\[)[\s\S])*?\\\]/g

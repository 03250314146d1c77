/** Splits code into groups of lines, so that React skips unchanged groups when a long block grows or is highlighted again. */
import type { Token } from './highlight.ts'

export type CodeChunk = { readonly tokens: readonly Token[]; readonly signature: string }

const linesPerChunk = 24

export const chunksOf = (tokens: readonly Token[]): readonly CodeChunk[] => {
  const chunks: CodeChunk[] = []
  let current: Token[] = []
  let lines = 0
  const finish = () => {
    if (current.length > 0) chunks.push({ tokens: current, signature: signatureOf(current) })
    current = []
    lines = 0
  }
  for (const { className, text } of tokens) {
    let from = 0
    while (from < text.length) {
      const newline = text.indexOf('\n', from)
      const to = newline === -1 ? text.length : newline + 1
      append(current, className, text.slice(from, to))
      from = to
      if (newline !== -1) lines += 1
      if (lines === linesPerChunk) finish()
    }
  }
  finish()
  return chunks
}

const append = (tokens: Token[], className: string | null, text: string): void => {
  const last = tokens.at(-1)
  if (last && last.className === className) tokens[tokens.length - 1] = { className, text: last.text + text }
  else tokens.push({ className, text })
}

const signatureOf = (tokens: readonly Token[]): string =>
  tokens.map(({ className, text }) => `${className ?? ''}\u0000${text}`).join('\u0001')

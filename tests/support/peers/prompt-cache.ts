/**
 * The prompt cache of Anthropic (https://platform.claude.com/docs/en/build-with-claude/prompt-caching, read 2026-11-30): a request writes its prompt up
 * to each mark, and reads the longest written prompt that ends at a mark or up to 20 blocks before it. Other tools, or another choice of tools, make
 * another prompt. Its lifetime of five minutes and its least size are left out.
 */
import { type Asked, blocksOf, cacheMarks } from './provider-rules.ts'

const lookbackBlocks = 20

/** Chosen: as the product estimates. */
const tokensOf = (texts: readonly string[]): number => Math.ceil(new TextEncoder().encode(texts.join('')).length / 3)

export type InputTokens = { readonly total: number; readonly cacheRead: number; readonly cacheWrite: number }

export class PromptCache {
  readonly #written: (readonly string[])[] = []

  /** The tokens of a request, in the order of the requests. */
  request(model: string, asked: Asked): InputTokens {
    const texts = [JSON.stringify([model, asked.tools, asked.toolChoice]), ...blocksOf(asked).map(({ text }) => text)]
    const ends = cacheMarks(asked).map((index) => index + 2)
    const isRead = (written: readonly string[]) =>
      ends.some((end) => written.length <= end && written.length > end - lookbackBlocks) &&
      written.every((text, index) => text === texts[index])
    const cacheRead = Math.max(0, ...this.#written.filter(isRead).map((written) => tokensOf(written)))
    for (const end of ends) this.#written.push(texts.slice(0, end))
    const last = Math.max(0, ...ends)
    return { total: tokensOf(texts), cacheRead, cacheWrite: Math.max(0, tokensOf(texts.slice(0, last)) - cacheRead) }
  }
}

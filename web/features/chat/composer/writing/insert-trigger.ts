/** Finds the word before the caret that opens a list: `/` for prompts, `@` for models. Pure. */

export type Trigger = {
  readonly kind: 'prompt' | 'model'
  /** Index of the sign. */
  readonly start: number
  /** Index after the word, which is the caret. */
  readonly end: number
  /** The word without its sign. */
  readonly query: string
}

/** Chosen: longer words are paths and not searches. */
const maxQueryChars = 40

/** Null if the sign is within a word, as in a URL or an address, or within code. */
export function triggerAt(text: string, caret: number): Trigger | null {
  const before = text.slice(0, caret)
  const [, sign, query = ''] = /(?:^|\s)([/@])(\S*)$/.exec(before) ?? []
  if (sign === undefined || query.length > maxQueryChars || isInCode(before)) return null
  return { kind: sign === '/' ? 'prompt' : 'model', start: caret - query.length - 1, end: caret, query }
}

/** True after an opening fence, or after an opening backtick in the same line. */
function isInCode(before: string): boolean {
  const lines = before.split('\n')
  const isInFence = lines.filter((line) => /^ {0,3}(`{3,}|~{3,})/.test(line)).length % 2 === 1
  const ticks = (lines.at(-1) ?? '').match(/`+/g)?.length ?? 0
  return isInFence || ticks % 2 === 1
}

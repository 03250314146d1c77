/** Finds the name before the caret that opens a list: `/` for prompts, `@` for models. Pure. */

export type Trigger = {
  readonly kind: 'prompt' | 'model'
  /** Index of `/` or `@`. */
  readonly start: number
  /** Index of the caret, which is the end of the name. */
  readonly end: number
  /** The name without `/` or `@`. Names contain spaces, so text that follows also belongs to it until no option matches. */
  readonly query: string
}

/** Chosen: a longer text is no name. */
const maxQueryChars = 40

/** Null if `/` or `@` is within a word, as in a URL or an email address, or within code. */
export function triggerAt(text: string, caret: number): Trigger | null {
  const before = text.slice(0, caret)
  const start = before.search(/(?<=^|\s)[/@](?:\S(?:(?!\s[/@]).)*)?$/)
  const query = before.slice(start + 1)
  if (start === -1 || query.length > maxQueryChars || isInCode(before)) return null
  return { kind: before[start] === '/' ? 'prompt' : 'model', start, end: caret, query }
}

/** True after an opening fence, or after an opening backtick in the same line. */
function isInCode(before: string): boolean {
  const lines = before.split('\n')
  const isInFence = lines.filter((line) => /^ {0,3}(`{3,}|~{3,})/.test(line)).length % 2 === 1
  const ticks = (lines.at(-1) ?? '').match(/`+/g)?.length ?? 0
  return isInFence || ticks % 2 === 1
}

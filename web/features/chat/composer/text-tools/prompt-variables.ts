/** Variables of a prompt, such as `{{topic}}`: finding them, and filling them in one after another. Pure. */

type Variable = { readonly name: string; readonly start: number; readonly end: number }

const variable = /\{\{\s*([\p{L}\p{N}_](?:[\p{L}\p{N}_ -]{0,38}[\p{L}\p{N}_])?)\s*\}\}/gu

/** In the order of the text. */
export const variablesIn = (text: string): readonly Variable[] =>
  [...text.matchAll(variable)].map((match) => ({ name: match[1] ?? '', start: match.index, end: match.index + match[0].length }))

/** The variable that is being filled in, and the text before and after it. */
export type Placeholder = { readonly name: string; readonly before: string; readonly after: string }

export const placeholderOf = (text: string, { name, start, end }: Variable): Placeholder => ({
  name,
  before: text.slice(0, start),
  after: text.slice(end),
})

/** The text when the user has completed the value of a variable: later occurrences get the same value. `caret`: after the value. */
export function completeVariable(text: string, { name, before, after }: Placeholder): { readonly text: string; readonly caret: number } {
  const isIntact = text.startsWith(before) && text.endsWith(after) && text.length >= before.length + after.length
  if (!isIntact) return { text, caret: text.length }
  const value = text.slice(before.length, text.length - after.length)
  const caret = before.length + value.length
  // The user has not replaced the variable.
  if (variablesIn(value).some((found) => found.name === name)) return { text, caret }
  const others = variablesIn(after).filter((found) => found.name === name)
  const rest = others.reduceRight((filled, { start, end }) => filled.slice(0, start) + value + filled.slice(end), after)
  return { text: before + value + rest, caret }
}

/** The next variable after the caret, or the first one; the previous one for `-1`. */
export function nextVariable(text: string, caret: number, direction: 1 | -1 = 1): Variable | undefined {
  const variables = variablesIn(text)
  if (direction === 1) return variables.find(({ start }) => start >= caret) ?? variables[0]
  return variables.findLast(({ end }) => end <= caret) ?? variables.at(-1)
}

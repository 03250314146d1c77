/** Variables of a prompt, such as `{{topic}}`. The user fills them in: the field selects them one after another. */
import { type RefObject, useState } from 'react'
import { flushSync } from 'react-dom'
import type { Origin } from '../../../../../worker/contract/tools/taint.ts'
import { choicesWithOrigin, draftOf, setDraft } from '../drafts.ts'

type Placeholders = {
  /** Null unless a prompt with variables was inserted and some are left. */
  readonly placeholder: Placeholder | null
  /** Puts the text into the field at this range, and selects its first variable. `origin`: of a text that the user did not write. */
  readonly insert: (text: string, start: number, end: number, origin?: Origin) => void
  /** Completes the value and selects another variable. Returns false if no variable is left. */
  readonly move: (direction: 1 | -1) => boolean
  readonly stop: () => void
}

export function usePlaceholders(draftKey: string, fieldRef: RefObject<HTMLTextAreaElement | null>): Placeholders {
  const [placeholder, setPlaceholder] = useState<Placeholder | null>(null)
  const show = (text: string, start: number, end: number, origin?: Origin) => {
    flushSync(() => setDraft(draftKey, { text, ...(origin !== undefined && { choices: choicesWithOrigin(draftKey, origin) }) }))
    fieldRef.current?.focus({ preventScroll: true })
    fieldRef.current?.setSelectionRange(start, end)
  }
  const insert: Placeholders['insert'] = (inserted, start, end, origin) => {
    const { text: draft } = draftOf(draftKey).get()
    const text = draft.slice(0, start) + inserted + draft.slice(end)
    const first = variablesIn(inserted).length > 0 ? nextVariable(text, start) : undefined
    const caret = start + inserted.length
    show(text, first?.start ?? caret, first?.end ?? caret, origin)
    setPlaceholder(first ? placeholderOf(text, first) : null)
  }
  const move: Placeholders['move'] = (direction) => {
    if (!placeholder) return false
    const { text, caret } = completeVariable(draftOf(draftKey).get().text, placeholder)
    const next = nextVariable(text, direction === 1 ? caret : placeholder.before.length, direction)
    show(text, next?.start ?? text.length, next?.end ?? text.length)
    setPlaceholder(next ? placeholderOf(text, next) : null)
    return next !== undefined
  }
  return { placeholder, insert, move, stop: () => setPlaceholder(null) }
}

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

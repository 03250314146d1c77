/** Lets the user fill in the variables of an inserted prompt: selects them in the field one after another. */
import { type RefObject, useState } from 'react'
import { flushSync } from 'react-dom'
import { draftOf, setDraft } from '../drafts.ts'
import { completeVariable, nextVariable, type Placeholder, placeholderOf, variablesIn } from './prompt-variables.ts'

type Placeholders = {
  /** Null unless a prompt with variables was inserted and some are left. */
  readonly placeholder: Placeholder | null
  /** Puts the text into the field at this range, and selects its first variable. */
  readonly insert: (text: string, start: number, end: number) => void
  /** Completes the value and selects another variable. Returns false if no variable is left. */
  readonly move: (direction: 1 | -1) => boolean
  readonly stop: () => void
}

export function usePlaceholders(draftKey: string, fieldRef: RefObject<HTMLTextAreaElement | null>): Placeholders {
  const [placeholder, setPlaceholder] = useState<Placeholder | null>(null)
  const show = (text: string, start: number, end: number) => {
    flushSync(() => setDraft(draftKey, { text }))
    fieldRef.current?.focus({ preventScroll: true })
    fieldRef.current?.setSelectionRange(start, end)
  }
  const insert: Placeholders['insert'] = (inserted, start, end) => {
    const { text: draft } = draftOf(draftKey).get()
    const text = draft.slice(0, start) + inserted + draft.slice(end)
    const first = variablesIn(inserted).length > 0 ? nextVariable(text, start) : undefined
    const caret = start + inserted.length
    show(text, first?.start ?? caret, first?.end ?? caret)
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

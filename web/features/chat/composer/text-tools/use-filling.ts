/** Lets the user fill in the variables of an inserted prompt: selects them in the field one after another. */
import { type RefObject, useState } from 'react'
import { flushSync } from 'react-dom'
import { draftOf, setDraft } from '../drafts.ts'
import { type Filling, filledIn, fillingOf, nextVariable, variablesIn } from './prompt-variables.ts'

type VariableFilling = {
  /** Null unless a prompt with variables was inserted and some are left. */
  readonly filling: Filling | null
  /** Puts the text into the field at this range, and selects its first variable. */
  readonly insert: (text: string, start: number, end: number) => void
  /** Completes the value and selects another variable. Returns false if no variable is left. */
  readonly move: (direction: 1 | -1) => boolean
  readonly stop: () => void
}

export function useFilling(draftKey: string, fieldRef: RefObject<HTMLTextAreaElement | null>): VariableFilling {
  const [filling, setFilling] = useState<Filling | null>(null)
  const show = (text: string, start: number, end: number) => {
    flushSync(() => setDraft(draftKey, { text }))
    fieldRef.current?.focus({ preventScroll: true })
    fieldRef.current?.setSelectionRange(start, end)
  }
  const insert: VariableFilling['insert'] = (inserted, start, end) => {
    const { text: draft } = draftOf(draftKey).get()
    const text = draft.slice(0, start) + inserted + draft.slice(end)
    const first = variablesIn(inserted).length > 0 ? nextVariable(text, start) : undefined
    const caret = start + inserted.length
    show(text, first?.start ?? caret, first?.end ?? caret)
    setFilling(first ? fillingOf(text, first) : null)
  }
  const move: VariableFilling['move'] = (direction) => {
    if (!filling) return false
    const { text, caret } = filledIn(draftOf(draftKey).get().text, filling)
    const next = nextVariable(text, direction === 1 ? caret : filling.before.length, direction)
    show(text, next?.start ?? text.length, next?.end ?? text.length)
    setFilling(next ? fillingOf(text, next) : null)
    return next !== undefined
  }
  return { filling, insert, move, stop: () => setFilling(null) }
}

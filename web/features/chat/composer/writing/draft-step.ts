/** Decides how the draft in a composer and the draft on the server become the same. Pure. */
import type { DraftRow } from '../../../../sync/rows.ts'
import type { Draft } from '../drafts.ts'

export type DraftFacts = {
  readonly local: Pick<Draft, 'text' | 'editing' | 'synced'>
  readonly row: Pick<DraftRow, 'revision' | 'text'> | undefined
  /** A write of this page has no outcome yet. */
  readonly isPending: boolean
  readonly isFocused: boolean
  /** The user has typed since the field got the focus. */
  readonly isTyping: boolean
}

/**
 * `save`: the server gets the local text. `adopt`: the row is based on, or equal to, the local text; only its revision is noted. `take`: the
 * composer shows the row. `offer`: the user decides between the two.
 */
export type DraftStep = 'none' | 'save' | 'adopt' | 'take' | 'offer'

export function draftStep({ local, row, isPending, isFocused, isTyping }: DraftFacts): DraftStep {
  // The field shows an earlier message. The draft returns when editing ends.
  if (local.editing) return 'none'
  const text = savedText(local.text)
  const isChanged = text !== (local.synced?.text ?? '')
  if (!row || row.revision === (local.synced?.revision ?? null)) return isChanged && !isPending ? 'save' : 'none'
  if (row.text === text || local.synced?.sent.includes(row.revision)) return 'adopt'
  if (isPending) return 'none'
  // The draft was sent or deleted elsewhere. The own changes become a new one.
  if (isChanged) return row.text === '' ? 'adopt' : 'offer'
  // An empty field loses nothing, and neither does one whose text was sent. On a desktop, opening a thread focuses it.
  if (!isFocused || (!isTyping && (text === '' || row.text === ''))) return 'take'
  return row.text === '' ? 'none' : 'offer'
}

/** As the server stores it. */
export const savedText = (text: string): string => (text.trim() === '' ? '' : text)

/** Decides the next step that makes the draft in a composer and the draft on the server equal. Pure. */
import type { DraftRow } from '../../../../sync/rows.ts'
import type { Draft } from '../draft.ts'

export type DraftSyncState = {
  readonly local: Pick<Draft, 'text' | 'editing' | 'synced'>
  readonly row: Pick<DraftRow, 'revision' | 'text'> | undefined
  /** The text of the last write of this page that has no outcome yet. */
  readonly written: string | undefined
  readonly isFocused: boolean
  /** The user has typed since the field got the focus. */
  readonly isTyping: boolean
}

/**
 * `save`: send the local text to the server.
 * `acceptRevision`: keep the local text and store only the row's revision. Used when the texts are equal, the row is an own write, or the draft
 * has ended.
 * `replaceText`: replace the local text with the row's text.
 * `offer`: let the user choose between the two texts.
 */
export type DraftStep = 'none' | 'save' | 'acceptRevision' | 'replaceText' | 'offer'

export function draftStep({ local, row, written, isFocused, isTyping }: DraftSyncState): DraftStep {
  // The field shows an earlier message. The draft returns when editing ends.
  if (local.editing) return 'none'
  const text = savedText(local.text)
  const isChanged = text !== (written ?? local.synced?.text ?? '')
  if (!row || row.revision === (local.synced?.revision ?? null)) return isChanged ? 'save' : 'none'
  if (row.text === text || local.synced?.pendingRevisions.includes(row.revision)) return 'acceptRevision'
  // The outcome decides: the row may be older than the write.
  if (written !== undefined) return 'none'
  // An empty row: the draft was sent or deleted on another device. The local changes become a new draft.
  if (isChanged) return row.text === '' ? 'acceptRevision' : 'offer'
  // Opening a thread on a desktop focuses the field. If the user has not typed, an empty field takes any draft, and a field whose draft was sent
  // elsewhere becomes empty.
  if (!isFocused || (!isTyping && (text === '' || row.text === ''))) return 'replaceText'
  return row.text === '' ? 'none' : 'offer'
}

/** The text as the server stores it: a blank text is empty, and a lone surrogate is replaced. */
export const savedText = (text: string): string => (text.trim() === '' ? '' : text.toWellFormed())

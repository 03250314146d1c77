/**
 * A queued message is not sent while it is edited, because the old text would be sent. Each open editor has a lease, which it renews while
 * it is open and ends when it closes. The lease of a crashed page expires. Pure.
 */
import { maxQueueEditors, queueEditorMs } from './limits.ts'

/** `until`: expiry in epoch ms of the server's clock. */
export type QueueEditor = { readonly id: string; readonly until: number }
type Editors = readonly QueueEditor[] | null | undefined

const openAt = (editors: Editors, nowMs: number): readonly QueueEditor[] => (editors ?? []).filter(({ until }) => until > nowMs)

export const isBeingEdited = (editors: Editors, nowMs: number): boolean => openAt(editors, nowMs).length > 0

export const isEditedElsewhere = (editors: Editors, isOwn: (id: string) => boolean, nowMs: number): boolean =>
  openAt(editors, nowMs).some(({ id }) => !isOwn(id))

/** Times at which the leases expire and the queue must be checked again. */
export const editorLeaseExpiries = (editors: Editors, nowMs: number): readonly number[] => openAt(editors, nowMs).map(({ until }) => until)

export function withEditor(editors: Editors, id: string, nowMs: number): readonly QueueEditor[] {
  const others = openAt(editors, nowMs).filter((editor) => editor.id !== id)
  return [...others, { id, until: nowMs + queueEditorMs }].slice(-maxQueueEditors)
}

export function withoutEditor(editors: Editors, id: string | undefined, nowMs: number): readonly QueueEditor[] | null {
  const others = openAt(editors, nowMs).filter((editor) => editor.id !== id)
  return others.length > 0 ? others : null
}

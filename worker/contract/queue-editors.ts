/**
 * A queued message that somebody is changing is not sent meanwhile, or its old words would be asked. Each open editor has a hold of its own,
 * renewed while it is open and ended with it; one whose page died ends by itself. Pure.
 */
import { maxQueueEditors, queueEditorMs } from './limits.ts'

/** `until`: epoch ms by the server's clock. */
export type QueueEditor = { readonly id: string; readonly until: number }
type Editors = readonly QueueEditor[] | null | undefined

const openAt = (editors: Editors, nowMs: number): readonly QueueEditor[] => (editors ?? []).filter(({ until }) => until > nowMs)

export const isBeingEdited = (editors: Editors, nowMs: number): boolean => openAt(editors, nowMs).length > 0

export const isEditedElsewhere = (editors: Editors, isOwn: (id: string) => boolean, nowMs: number): boolean =>
  openAt(editors, nowMs).some(({ id }) => !isOwn(id))

/** When to look again whether somebody still changes it. */
export const editorsLapseAt = (editors: Editors, nowMs: number): readonly number[] => openAt(editors, nowMs).map(({ until }) => until)

export function withEditor(editors: Editors, id: string, nowMs: number): readonly QueueEditor[] {
  const others = openAt(editors, nowMs).filter((editor) => editor.id !== id)
  return [...others, { id, until: nowMs + queueEditorMs }].slice(-maxQueueEditors)
}

export function withoutEditor(editors: Editors, id: string | undefined, nowMs: number): readonly QueueEditor[] | null {
  const others = openAt(editors, nowMs).filter((editor) => editor.id !== id)
  return others.length > 0 ? others : null
}

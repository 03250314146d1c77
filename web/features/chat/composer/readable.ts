/** Describes the attachments that the selected model can read. No side effects. */
import { canRead } from '../../../../worker/contract/files.ts'

type Reader = Parameters<typeof canRead>[0] & { readonly name: string }

/** British English: no comma before "or". */
const either = new Intl.ListFormat('en-GB', { type: 'disjunction' })
const named = { image: 'images', document: 'PDFs' } as const

/** `unread`: types that can be attached but need another model; null if this one reads everything. */
export type Readable = { readonly read: string; readonly unread: string | null }

/** Without a selected model: everything that at least one model reads. */
export function readableBy(model: Reader | undefined): Readable {
  const kinds = (['image', 'document'] as const).map((kind) => ({ kind, isRead: !model || canRead(model, kind) }))
  const read = [...kinds.filter(({ isRead }) => isRead).map(({ kind }) => named[kind]), 'text']
  const unread = kinds.filter(({ isRead }) => !isRead).map(({ kind }) => named[kind])
  return {
    read: either.format(read),
    unread: !model || unread.length === 0 ? null : `${model.name} cannot read ${either.format(unread)}: they wait for another model.`,
  }
}

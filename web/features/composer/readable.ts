/** What the chosen model reads of what can be attached, in words. Pure. */
import { canRead } from '../../../worker/contract/files.ts'

type Reader = Parameters<typeof canRead>[0] & { readonly name: string }

/** Without the comma before "or" that American English has. */
const either = new Intl.ListFormat('en-GB', { type: 'disjunction' })
const named = { image: 'images', document: 'PDFs' } as const

/** `unread`: what can be attached all the same, and waits for a model that reads it; null when this one reads everything. */
export type Readable = { readonly read: string; readonly unread: string | null }

/** Before it is known which model is chosen, what some model reads. */
export function readableBy(model: Reader | undefined): Readable {
  const kinds = (['image', 'document'] as const).map((kind) => ({ kind, isRead: !model || canRead(model, kind) }))
  const read = [...kinds.filter(({ isRead }) => isRead).map(({ kind }) => named[kind]), 'text']
  const unread = kinds.filter(({ isRead }) => !isRead).map(({ kind }) => named[kind])
  return {
    read: either.format(read),
    unread: !model || unread.length === 0 ? null : `${model.name} cannot read ${either.format(unread)}: they wait for another model.`,
  }
}

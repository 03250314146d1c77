/** The steps of a selection. No side effects. `order`: the ids of the listed threads, from top to bottom. */
import { maxSelection } from '../../../../worker/contract/limits.ts'
import type { Selection } from './selection.ts'

type Order = readonly string[]

/** Null when the last thread was deselected. A selection of `maxSelection` threads does not grow. */
export function toggled({ ids, ...rest }: Selection, id: string): Selection | null {
  const next = new Set(ids)
  if (!next.delete(id)) {
    if (next.size >= maxSelection) return { ids, ...rest }
    next.add(id)
  }
  return next.size === 0 ? null : { ids: next, currentId: id, anchorId: id }
}

/** Selects from the anchor to `id`, in place of the previous range. */
export function extended({ ids, currentId, anchorId }: Selection, id: string, order: Order): Selection {
  const isAnchored = anchorId !== null && order.includes(anchorId)
  const anchor = isAnchored ? anchorId : id
  const next = new Set(ids)
  if (isAnchored) for (const old of range(order, anchor, currentId)) next.delete(old)
  for (const wanted of range(order, anchor, id)) if (next.size < maxSelection) next.add(wanted)
  return { ids: next, currentId: id, anchorId: anchor }
}

export const allSelected = (state: Selection, order: Order): Selection => ({ ...state, ids: new Set(order.slice(0, maxSelection)) })

/** The neighbour in the list; the row itself at an end. */
export function stepped(order: Order, id: string, step: 1 | -1): string {
  const index = order.indexOf(id)
  return order[index + step] ?? id
}

/** From `from` to `to`, in this direction, with both. Empty if one of them is not listed. */
function range(order: Order, from: string, to: string): Order {
  const [start, end] = [order.indexOf(from), order.indexOf(to)]
  if (start < 0 || end < 0) return []
  return start <= end ? order.slice(start, end + 1) : order.slice(end, start + 1).reverse()
}

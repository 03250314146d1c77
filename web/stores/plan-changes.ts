/** What was done with plans here and the server has not confirmed yet, on a shelf: a step's words, and what somebody decided. */
import { createShelf } from './shelf.ts'
import type { Store } from './store.ts'

type Plan = {
  readonly threadId: string
  /** The message that holds the plan. */
  readonly messageId: string
}

/** What the step may say on the server as well: nobody had heard of the changes before this one either. */
type Earlier = readonly (string | null)[]

export type PlanChange = Plan &
  (
    | {
        readonly kind: 'step'
        readonly stepId: string
        readonly text: string
        /** What it said before; null for a new one. */
        readonly was: string | null
        readonly earlier?: Earlier
      }
    | { readonly kind: 'removal'; readonly stepId: string; readonly was: string; readonly earlier?: Earlier }
    /** Set aside, or taken up again. `sentAtMs`: by the server's clock, as far as this browser knows it. */
    | { readonly kind: 'dismissal'; readonly isDismissed: boolean; readonly sentAtMs: number }
    | { readonly kind: 'start'; readonly answerId: string; readonly modelId: string; readonly after?: string }
  )

const shelf = createShelf<PlanChange>('parley:plan-change:', parseChange)

/** By whatever they are of: nobody hears what becomes of these but whoever looks after them. */
export const leftChanges: Store<ReadonlyMap<string, PlanChange>> = shelf.left

/** As it is kept, by which it is left and forgotten. */
export function keepChange(change: PlanChange): PlanChange {
  const place = placeOf(change)
  const kept = after(shelf.kept(place), change)
  shelf.keep(place, kept)
  return kept
}
export const leaveChange = (change: PlanChange): void => shelf.leave(placeOf(change), change)
/** Whether it was kept still: not signed out of, and not followed by another one. */
export const forgetChange = (change: PlanChange): boolean => shelf.forget(placeOf(change), change)
export const forgetChanges = (): void => shelf.forgetAll()

/** Of one step, and of what was decided about one plan, the last counts. */
const placeOf = (change: PlanChange): string => ('stepId' in change ? `${change.messageId}.${change.stepId}` : change.messageId)

function after(before: PlanChange | undefined, change: PlanChange): PlanChange {
  if (!before || before === change || !('was' in before && 'was' in change)) return change
  const own = 'text' in before ? [before.was, before.text] : [before.was]
  return { ...change, earlier: [...new Set([...(before.earlier ?? []), ...own])] }
}

function parseChange(value: object): PlanChange | null {
  const change = value as { readonly [field: string]: unknown }
  const isText = (...names: readonly string[]) => names.every((name) => typeof change[name] === 'string')
  if (!isText('threadId', 'messageId') || !Array.isArray(change.earlier ?? [])) return null
  switch (change.kind) {
    case 'step':
      return isText('stepId', 'text') && (change.was === null || isText('was')) ? (value as PlanChange) : null
    case 'removal':
      return isText('stepId', 'was') ? (value as PlanChange) : null
    case 'dismissal':
      return typeof change.isDismissed === 'boolean' && typeof change.sentAtMs === 'number' ? (value as PlanChange) : null
    case 'start':
      return isText('answerId', 'modelId') && (change.after === undefined || isText('after')) ? (value as PlanChange) : null
    default:
      return null
  }
}

/** Changes to research plans that the server has not confirmed yet: texts of steps, and decisions about plans. */

import { onLocalDataDeletion } from '../../../lib/local-user-data.ts'
import { createPendingOperations } from '../../../lib/pending-operations.ts'
import type { Store } from '../../../lib/store.ts'

type Plan = {
  readonly threadId: string
  /** The message that holds the plan. */
  readonly messageId: string
}

/** Other values that the step may have on the server, because earlier changes are unacknowledged too. */
type Earlier = readonly (string | null)[]

export type PlanChange = Plan &
  (
    | {
        readonly kind: 'step'
        readonly stepId: string
        readonly text: string
        /** The previous text; null for a new step. */
        readonly was: string | null
        readonly earlier?: Earlier
      }
    | { readonly kind: 'removal'; readonly stepId: string; readonly was: string; readonly earlier?: Earlier }
    /** Dismissed or restored. `sentAtMs`: estimated server time. */
    | { readonly kind: 'dismissal'; readonly isDismissed: boolean; readonly sentAtMs: number }
    | { readonly kind: 'start'; readonly answerId: string; readonly modelId: string; readonly after?: string }
  )

const operations = createPendingOperations<PlanChange>('parley:plan-change:', parseChange)

/** Orphaned changes by key. `ResendPlanChanges` resends them. */
export const orphanedPlanChanges: Store<ReadonlyMap<string, PlanChange>> = operations.orphaned

/** Returns the stored change, which `abandonPlanChange` and `resolvePlanChange` expect. */
export function addPlanChange(change: PlanChange): PlanChange {
  const key = keyOf(change)
  const stored = after(operations.get(key), change)
  operations.add(key, stored)
  return stored
}
export const abandonPlanChange = (change: PlanChange): void => operations.abandon(keyOf(change), change)
/** False if a later change replaced it, or the user signed out. */
export const resolvePlanChange = (change: PlanChange): boolean => operations.resolve(keyOf(change), change)
export const deletePlanChanges = (): void => operations.clear()

/** The last change of a step wins, and so does the last decision about a plan. */
const keyOf = (change: PlanChange): string => ('stepId' in change ? `${change.messageId}.${change.stepId}` : change.messageId)

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

onLocalDataDeletion(deletePlanChanges)

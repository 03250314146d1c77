/** Why the next message cannot be sent in the selected mode. The server applies the same functions. */
import { modeRefusal } from '../../../../worker/contract/access.ts'
import { type Refusal, refusal } from '../../../../worker/contract/errors.ts'
import type { TurnMode } from '../../../../worker/contract/models/modes.ts'
import type { Me } from '../../../sync/rows.ts'

type UserLimits = Pick<Me, 'plan' | 'model' | 'usage'>

/** Null if it can be sent. `canSearch`: true if this installation has web search. */
export function modeProblem(mode: TurnMode, { plan, model, usage }: UserLimits, canSearch: boolean, nowMs: number): Refusal | null {
  if (mode === 'chat') return null
  if (!canSearch) return refusal('search_unavailable')
  return modeRefusal(mode, plan, model, usage, nowMs)
}

/** True if PRO lifts the refusal. */
export const isLockedMode = (problem: Refusal | null): boolean => problem?.code.startsWith('research_') === true

type EffectiveMode = {
  readonly mode: TurnMode
  /** Why the selected mode is not used; shown before sending. */
  readonly fallbackReason: Refusal | null
}

/** The mode of the next message: Chat if the selected mode is not available. */
export function effectiveModeFor(chosen: TurnMode, asker: UserLimits | undefined, canSearch: boolean, nowMs: number): EffectiveMode {
  const fallbackReason = asker ? modeProblem(chosen, asker, canSearch, nowMs) : null
  return { mode: fallbackReason ? 'chat' : chosen, fallbackReason }
}

/** Why the next message cannot be answered this way. The server decides the same by the same functions. */
import { modeRefusal } from '../../../worker/contract/access.ts'
import { type Refusal, refusal } from '../../../worker/contract/errors.ts'
import type { TurnMode } from '../../../worker/contract/modes.ts'
import { serverNowMs } from '../../lib/server-clock.ts'
import type { Me } from '../../sync/rows.ts'

type Asker = Pick<Me, 'plan' | 'model' | 'usage'>

/** Null when nothing stands in the way. `canSearch`: whether this installation can. */
export function modeProblem(mode: TurnMode, { plan, model, usage }: Asker, canSearch: boolean): Refusal | null {
  if (mode === 'chat') return null
  if (!canSearch) return refusal('search_unavailable')
  return modeRefusal(mode, plan, model, usage, serverNowMs())
}

export type Way = {
  readonly mode: TurnMode
  /** Why it is not the chosen one, which is said before anything is sent. */
  readonly leftOut: Refusal | null
}

/** How the next message goes: as Chat, when the choice has become impossible. */
export function wayFor(chosen: TurnMode, asker: Asker | undefined, canSearch: boolean): Way {
  const leftOut = asker ? modeProblem(chosen, asker, canSearch) : null
  return { mode: leftOut ? 'chat' : chosen, leftOut }
}

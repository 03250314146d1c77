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

/** What the composer sends: a choice that has become impossible counts no more. */
export const effectiveMode = (chosen: TurnMode, asker: Asker, canSearch: boolean): TurnMode =>
  modeProblem(chosen, asker, canSearch) === null ? chosen : 'chat'

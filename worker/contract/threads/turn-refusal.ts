/** The reason why the user may not start a turn now, or null. The server decides with it, and the page shows it in advance. */
import { contentRefusal, creditsFor, creditsForAll, modeRefusal, type Plan, sendRefusal } from '../access.ts'
import type { Refusal } from '../errors.ts'
import { type AttachedFile, fileRefusal } from '../files/files.ts'
import type { TurnMode } from '../models/modes.ts'
import { searchesFor } from '../models/tools.ts'
import { continuationCost } from '../research/research-cost.ts'
import type { RowOf } from '../schema.ts'
import type { MessagePart, ResearchPayment } from './messages.ts'

type Requester = {
  readonly plan: Plan
  readonly model: RowOf<'model'> | null | undefined
  /** The other models of a comparison. */
  readonly others?: readonly (RowOf<'model'> | undefined)[] | undefined
  readonly usage: RowOf<'usage'> | null | undefined
}

export type TurnRequest = {
  readonly mode?: TurnMode | undefined
  /** Files of the question. */
  readonly files?: readonly Pick<AttachedFile, 'mediaType'>[] | undefined
  /** Payment of the research that the turn continues. */
  readonly paid?: ResearchPayment | null | undefined
  /** Parts of the answer that the turn continues. */
  readonly continued?: readonly MessagePart[] | undefined
}

export function turnRefusal(
  { plan, model, others = [], usage }: Requester,
  { mode = 'chat', files = [], paid = null, continued }: TurnRequest,
  nowMs: number,
): Refusal | null {
  const cost = continuationCost(paid, creditsFor(model ?? {}))
  // The answers of a comparison are charged one by one, and all of them must be affordable.
  const credits = cost.credits + creditsForAll(others)
  const count = others.length + (mode === 'research' ? cost.researches : searchesFor(continued))
  const refusalOf = (requested: Requester['model']) =>
    sendRefusal(plan, requested, usage, nowMs, credits) ??
    fileRefusal(requested, files) ??
    modeRefusal(mode, plan, requested, usage, nowMs, count)
  return contentRefusal(plan, usage) ?? [model, ...others].map(refusalOf).find(Boolean) ?? null
}

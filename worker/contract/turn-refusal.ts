/** Why a person may not have an answer now, or null when they may. The server decides by this, and the page says it before it is asked. */
import { contentRefusal, creditsFor, modeRefusal, type Plan, sendRefusal } from './access.ts'
import type { Refusal } from './errors.ts'
import { type AttachedFile, fileRefusal } from './files.ts'
import type { MessagePart } from './messages.ts'
import type { TurnMode } from './modes.ts'
import { costOfGoingOn, type ResearchPayment } from './research-cost.ts'
import type { RowOf } from './schema.ts'
import { searchesFor } from './tools.ts'

export type Asker = {
  readonly plan: Plan
  readonly model: RowOf<'model'> | null | undefined
  readonly usage: RowOf<'usage'> | null | undefined
}

export type Asked = {
  readonly mode?: TurnMode | undefined
  /** Of the question. */
  readonly files?: readonly Pick<AttachedFile, 'mediaType'>[] | undefined
  /** What was paid for the research that it goes on with. */
  readonly paid?: ResearchPayment | null | undefined
  /** Parts of the answer that it goes on with. */
  readonly continued?: readonly MessagePart[] | undefined
}

export function turnRefusal(
  { plan, model, usage }: Asker,
  { mode = 'chat', files = [], paid = null, continued }: Asked,
  nowMs: number,
): Refusal | null {
  const { credits, researches } = costOfGoingOn(paid, creditsFor(model ?? {}))
  const count = mode === 'research' ? researches : searchesFor(continued)
  return (
    contentRefusal(plan, usage) ??
    sendRefusal(plan, model, usage, nowMs, credits) ??
    fileRefusal(model, files) ??
    modeRefusal(mode, plan, model, usage, nowMs, count)
  )
}

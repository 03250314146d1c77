/**
 * How an answer is written again, or gone on with: by the model that wrote it and in its mode, as long as this person may have both; else by
 * the model that is chosen, or without a search. What differs is said beforehand. Pure.
 */
import { creditsFor, modelRefusal, modeRefusal } from '../../../worker/contract/access.ts'
import type { AnswerMessage } from '../../../worker/contract/messages.ts'
import type { TurnMode } from '../../../worker/contract/modes.ts'
import { searchesFor } from '../../../worker/contract/tools.ts'
import { creditsText } from '../../lib/format-price.ts'
import type { Me, ModelRow } from '../../sync/rows.ts'

export type Choice = {
  readonly models: readonly ModelRow[]
  /** `model`: the one chosen for what is said next. Undefined while it is not known who asks. */
  readonly me: Pick<Me, 'plan' | 'model' | 'usage'> | undefined
}

export type Again = {
  readonly modelId: string
  /** Undefined while the catalogue is not here. */
  readonly model: ModelRow | undefined
  readonly mode: TurnMode
  readonly price: string | undefined
  /** The verb, and what will be different: "Retry with Kimi K2 without search". */
  readonly named: (verb: string) => string
}

/** `isGoingOn`: its parts are kept, and gone on from. */
export function againOf({ metadata, parts }: AnswerMessage, { models, me }: Choice, isGoingOn: boolean, nowMs: number): Again {
  const own = models.find(({ id }) => id === metadata.modelId)
  const mayUseOwn = !me || models.length === 0 || (own && modelRefusal(me.plan, own) === null)
  const model = mayUseOwn ? own : (me.model ?? own)
  const asked = metadata.mode ?? 'chat'
  const count = asked === 'search' && isGoingOn ? searchesFor(parts) : 1
  const isRefused = asked === 'search' && me !== undefined && modeRefusal(asked, me.plan, model, me.usage, nowMs, count) !== null
  const other = model && model.id !== metadata.modelId ? ` with ${model.name}` : ''
  return {
    modelId: model?.id ?? metadata.modelId,
    model,
    mode: isRefused ? 'chat' : asked,
    price: model && creditsText(creditsFor(model)),
    named: (verb) => `${verb}${other}${isRefused ? ' without search' : ''}`,
  }
}

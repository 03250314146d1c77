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
  /** Whether this installation can. */
  readonly canSearch: boolean
}

export type How = {
  /** Its parts are kept, and gone on from. */
  readonly isGoingOn?: boolean
  /** Chosen for this answer alone, whether or not this person may have it: a refusal says why not. */
  readonly modelId?: string
}

export type Again = {
  readonly modelId: string
  /** Undefined while the catalogue is not here. */
  readonly model: ModelRow | undefined
  readonly mode: TurnMode
  /** It was a search, and cannot be one any more. */
  readonly isSearchLeftOut: boolean
  readonly price: string | undefined
  /** The verb, and what will be different: "Retry with Kimi K2 without search". */
  readonly named: (verb: string) => string
}

export function againOf({ metadata, parts }: AnswerMessage, { models, me, canSearch }: Choice, how: How, nowMs: number): Again {
  const { isGoingOn = false, modelId = metadata.modelId } = how
  const named = models.find(({ id }) => id === modelId)
  const mayUseNamed = how.modelId !== undefined || !me || models.length === 0 || (named && modelRefusal(me.plan, named) === null)
  const model = mayUseNamed ? named : (me.model ?? named)
  const asked = metadata.mode ?? 'chat'
  const count = asked === 'search' && isGoingOn ? searchesFor(parts) : 1
  const isRefused = me !== undefined && modeRefusal(asked, me.plan, model, me.usage, nowMs, count) !== null
  const isSearchLeftOut = asked === 'search' && (isRefused || !canSearch)
  const other = model && model.id !== metadata.modelId ? ` with ${model.name}` : ''
  return {
    modelId: model?.id ?? modelId,
    model,
    mode: isSearchLeftOut ? 'chat' : asked,
    isSearchLeftOut,
    price: model && creditsText(creditsFor(model)),
    named: (verb) => `${verb}${other}${isSearchLeftOut ? ' without search' : ''}`,
  }
}

/**
 * Fallback models: if a model of the gateway fails, the gateway sends the same request to another one. A row of the catalogue names candidates.
 * The user agreed to the terms of the chosen model, so a fallback costs the same credits and no more per token, and reads the same prompt.
 */
import { modelRefusal, type Plan } from '../access.ts'
import type { RowOf } from '../schema.ts'
import { budgetFor } from './context-budget.ts'
import { cacheWritePrice } from './prompt-caching.ts'

type Model = RowOf<'model'>

/** The columns of a fallback that a turn needs. */
export type Fallback = Pick<
  Model,
  | 'name'
  | 'model'
  | 'provider'
  | 'inputMicroDollarsPerMillionTokens'
  | 'cachedInputMicroDollarsPerMillionTokens'
  | 'outputMicroDollarsPerMillionTokens'
>

const maxFallbacks = 2

/** The fallbacks of `model` that a user of this plan may use now. `inputTokens`: of the request. `find`: a row of the catalogue. */
export function fallbacksFor(plan: Plan, model: Model, inputTokens: number, find: (id: string) => Model | undefined): readonly Fallback[] {
  const rows = (model.fallbackIds ?? []).flatMap((id) => find(id) ?? [])
  return rows.filter((row) => canReplace(plan, model, inputTokens, row)).slice(0, maxFallbacks)
}

function canReplace(plan: Plan, model: Model, inputTokens: number, other: Model): boolean {
  const { outputTokens } = budgetFor(plan, model)
  const reads = other.capabilities ?? []
  return (
    model.provider === 'gateway' &&
    other.provider === 'gateway' &&
    other.model !== model.model &&
    modelRefusal(plan, other) === null &&
    other.credits === model.credits &&
    inputPrice(other) <= inputPrice(model) &&
    (other.outputMicroDollarsPerMillionTokens ?? Number.POSITIVE_INFINITY) <= (model.outputMicroDollarsPerMillionTokens ?? 0) &&
    (model.capabilities ?? []).every((capability) => reads.includes(capability)) &&
    inputTokens + outputTokens <= (other.contextTokens ?? 0) &&
    outputTokens <= (other.maxOutputTokens ?? Number.POSITIVE_INFINITY)
  )
}

/** The highest input price of a request. Without a price, a model is no fallback and has none. */
const inputPrice = (model: Model): number => cacheWritePrice(model, model.inputMicroDollarsPerMillionTokens ?? Number.NaN)

/**
 * The model of the next message, for deployments that reach only a part of the catalogue. Pure functions of rows, used by the served page and
 * the browser, so the first message needs no choice.
 */
import { type ModelAccess, modelRefusal, type Plan } from '../access.ts'

/** Default setting of a new user, equal to no choice. The model is public, so that a guest can use it. */
export const defaultModelId = 'kimi-k2'
export const defaultPins = ['kimi-k2', 'gpt-4o-mini', 'gemini-2.5-flash', 'deepseek-v4-flash', 'claude-4.6-sonnet', 'gemini-2.5-pro']

export type Choosable = ModelAccess & {
  readonly id: string
  /** Slug. */
  readonly model: string
  readonly position: number
}

/**
 * True if the model is reachable or only temporarily unreachable. A temporary failure must not send the user's text to another provider.
 */
export const isSelectable = ({ unavailable }: ModelAccess): boolean => unavailable == null || unavailable === 'model_unreachable_now'

/**
 * Returns the chosen model if it is selectable, even if the plan does not include it; the composer then shows the reason. Otherwise
 * returns the first usable model, then a temporarily unreachable one, then the chosen one.
 */
export function chosenModel<Model extends Choosable>(
  models: readonly Model[],
  chosenId: string | null | undefined,
  plan: Plan,
): Model | undefined {
  const chosen = models.find(({ id }) => id === (chosenId ?? defaultModelId))
  if (chosen && isSelectable(chosen)) return chosen
  return usableModels(models, plan)[0] ?? models.filter(isSelectable).sort(byRank(models))[0] ?? chosen
}

/** Models that accept messages of this plan, in the order of `byRank`. */
export const usableModels = <Model extends Choosable>(models: readonly Model[], plan: Plan): readonly Model[] =>
  models.filter((model) => modelRefusal(plan, model) === null).sort(byRank(models))

/** Sorts the default pins first, matched by id or by slug through another connection, then by catalogue position. */
function byRank<Model extends Choosable>(models: readonly Model[]): (a: Model, b: Model) => number {
  const slugs = defaultPins.map((pin) => models.find(({ id }) => id === pin)?.model)
  const rankOf = ({ id, model }: Model): number => {
    const rank = defaultPins.findIndex((pin, index) => pin === id || slugs[index] === model)
    return rank === -1 ? defaultPins.length : rank
  }
  return (a, b) => rankOf(a) - rankOf(b) || a.position - b.position || (a.id < b.id ? -1 : 1)
}

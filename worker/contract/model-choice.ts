/**
 * Which model the next message is for, and which stand at the front of the picker, where a deployment reaches only some of the catalogue.
 * Pure functions of rows: the served page, its hint and the browser call the same, so that a first message needs no choice.
 */
import { type ModelFacts, modelRefusal, type Plan } from './access.ts'

/** What a new person's setting says; it stands for never having chosen. A public model, so that a guest's first message is answered. */
export const defaultModelId = 'kimi-k2'
export const defaultPins = ['kimi-k2', 'gpt-4o-mini', 'gemini-2.5-flash', 'deepseek-v4-flash', 'claude-4.6-sonnet', 'gemini-2.5-pro']

type Choosable = ModelFacts & {
  readonly id: string
  /** Its slug. */
  readonly model: string
  readonly position: number
}

/** What is silent for now may answer the next message, and is nobody's reason to give somebody's words to another server. */
export const isWithinReach = ({ unavailable }: ModelFacts): boolean => unavailable == null || unavailable === 'model_unreachable_now'

/**
 * The chosen one as long as it is within reach, also when the plan is not enough for it: that is said, and can be changed. Otherwise the
 * first that takes messages; where none does, one that may do so again says why better than one that is not connected.
 */
export function chosenModel<Model extends Choosable>(
  models: readonly Model[],
  chosenId: string | null | undefined,
  plan: Plan,
): Model | undefined {
  const chosen = models.find(({ id }) => id === (chosenId ?? defaultModelId))
  if (chosen && isWithinReach(chosen)) return chosen
  return usableModels(models, plan)[0] ?? models.filter(isWithinReach).sort(byRank(models))[0] ?? chosen
}

/** The front of the picker: what is pinned and within reach, and where nothing is, what a person may use at once. */
export function pinnedModels<Model extends Choosable>(
  models: readonly Model[],
  pins: readonly string[] | null | undefined,
  plan: Plan,
): readonly Model[] {
  const pinned = (pins ?? defaultPins).flatMap((id) => models.find((model) => model.id === id) ?? [])
  const reached = pinned.filter(isWithinReach)
  if (reached.length > 0) return reached
  const usable = usableModels(models, plan)
  return usable.length > 0 ? usable.slice(0, defaultPins.length) : pinned
}

/** What takes messages of this plan, the best beginning first. */
const usableModels = <Model extends Choosable>(models: readonly Model[], plan: Plan): readonly Model[] =>
  models.filter((model) => modelRefusal(plan, model) === null).sort(byRank(models))

/** The default pins in their order, also when another connection has them under the same slug; then as the catalogue has them. */
function byRank<Model extends Choosable>(models: readonly Model[]): (a: Model, b: Model) => number {
  const slugs = defaultPins.map((pin) => models.find(({ id }) => id === pin)?.model)
  const rankOf = ({ id, model }: Model): number => {
    const rank = defaultPins.findIndex((pin, index) => pin === id || slugs[index] === model)
    return rank === -1 ? defaultPins.length : rank
  }
  return (a, b) => rankOf(a) - rankOf(b) || a.position - b.position || (a.id < b.id ? -1 : 1)
}

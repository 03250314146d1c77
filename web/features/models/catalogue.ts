/** How the catalogue is laid out in the picker: the rail, the search, and what a person may use. Pure. */
import { type Plan, sendRefusal } from '../../../worker/contract/access.ts'
import type { Refusal } from '../../../worker/contract/errors.ts'
import { wordsOf } from '../../../worker/contract/found-text.ts'
import { defaultPins, isWithinReach, pinnedModels } from '../../../worker/contract/model-choice.ts'
import { foundIn } from '../../lib/match-words.ts'
import type { Me, ModelRow } from '../../sync/rows.ts'

/** `pinned`, or a maker by its icon. */
export type Shelf = string
export const pinnedShelf: Shelf = 'pinned'

/** In the order of the rail; makers we do not know come after, as the catalogue has them. Those of whom nothing is within reach are last. */
const makerOrder = [
  'anthropic',
  'openai',
  'gemini',
  'xai',
  'deepseek',
  'moonshot',
  'zai',
  'qwen',
  'meta',
  'mistral',
  'openrouter',
  'ollama',
  'cloudflare',
  'compatible',
] as const

export function makersOf(models: readonly ModelRow[]): readonly string[] {
  const makers = Array.from(new Set(models.map(({ icon }) => icon)))
  const reached = new Set(models.filter(isWithinReach).map(({ icon }) => icon))
  const rank = (maker: string) => {
    const index = (makerOrder as readonly string[]).indexOf(maker)
    return (index === -1 ? makerOrder.length : index) + (reached.has(maker) ? 0 : makerOrder.length + 1)
  }
  return makers.sort((a, b) => rank(a) - rank(b))
}

/** What is pinned, whether it is within reach or not. */
export const pinsOf = (me: Me | undefined): readonly string[] => me?.setting?.pinnedModels ?? defaultPins

type Looking = {
  readonly search: string
  readonly shelf: Shelf
  readonly pins: readonly string[]
  /** Of whoever looks; a guest's until that is known. */
  readonly plan: Plan | undefined
  /** Whether a model would refuse whoever looks. */
  readonly isRefused: (model: ModelRow) => boolean
}

/** A search goes over all models, whatever the rail says. Every word must be found, in name or description. */
export function modelsShown(models: readonly ModelRow[], { search, shelf, pins, plan, isRefused }: Looking): readonly ModelRow[] {
  const words = wordsOf(search)
  if (words.length > 0) {
    return foundIn(models, words, (model) => ({
      title: model.name,
      words: model.description,
      standing: model.unavailable === 'model_retired' ? 'retired' : isRefused(model) ? 'refused' : 'usable',
    })).map(({ item }) => item)
  }
  // What is no longer offered takes no room where one looks around; whoever looks for it learns why.
  if (shelf !== pinnedShelf) return models.filter(({ icon, unavailable }) => icon === shelf && unavailable !== 'model_retired')
  return pinnedModels(models, pins, plan ?? 'guest')
}

type Viewer = Pick<Me, 'usage'> & { readonly plan: Plan }

/** Why a model would refuse the next message; null for those that would take it. */
export const modelProblem = (model: ModelRow, viewer: Viewer | undefined, nowMs: number): Refusal | null =>
  viewer ? sendRefusal(viewer.plan, model, viewer.usage, nowMs) : null

/** The same, each model judged once however often it is asked about. */
export function modelProblems(viewer: Viewer | undefined, nowMs: number): (model: ModelRow) => Refusal | null {
  const known = new Map<ModelRow, Refusal | null>()
  return (model) => {
    const before = known.get(model)
    if (before !== undefined) return before
    const problem = modelProblem(model, viewer, nowMs)
    known.set(model, problem)
    return problem
  }
}

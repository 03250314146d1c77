/** The layout of the catalogue in the picker: rail, search and availability. No side effects. */
import { creditsFor, type Plan, sendRefusal } from '../../../../worker/contract/access.ts'
import type { Refusal } from '../../../../worker/contract/errors.ts'
import { type Choosable, defaultPins, isSelectable, usableModels } from '../../../../worker/contract/models/model-choice.ts'
import { wordsOf } from '../../../../worker/contract/threads/search.ts'
import { foundIn } from '../../../lib/match-words.ts'
import { modelDescription } from '../../../lib/model-description.ts'
import { knownMakerName } from '../../../lib/models.ts'
import type { Me, ModelRow } from '../../../sync/rows.ts'

/** `pinned`, or the icon of a maker. */
export type CatalogueFilter = string
export const pinnedFilter: CatalogueFilter = 'pinned'

/** Pinned models, available or not. */
export const pinsOf = (me: Me | undefined): readonly string[] => me?.setting?.pinnedModels ?? defaultPins

/** The pinned models that are selectable. Without any, the first usable models. */
export function pinnedModels<Model extends Choosable>(
  models: readonly Model[],
  pins: readonly string[] | null | undefined,
  plan: Plan,
): readonly Model[] {
  const pinned = (pins ?? defaultPins).flatMap((id) => models.find((model) => model.id === id) ?? [])
  const reached = pinned.filter(isSelectable)
  if (reached.length > 0) return reached
  const usable = usableModels(models, plan)
  return usable.length > 0 ? usable.slice(0, defaultPins.length) : pinned
}

type Suggestion = 'everyday' | 'smart' | 'cheap'

/** By id or by slug. Chosen: the newest of its kind that most plans include comes first. */
const suggestedIds: { readonly [kind in Suggestion]: readonly string[] } = {
  everyday: ['gemini-2.5-flash', 'claude-4.5-haiku', 'gpt-5-mini'],
  smart: ['claude-5-opus', 'gpt-5.6-sol', 'gemini-3.1-pro'],
  cheap: ['gpt-4o-mini', 'deepseek-v4-flash', 'gpt-oss-20b'],
}

/** Three different models to begin with. On a connection without the listed ones: the first, the most expensive and the cheapest. */
export function suggestedModels<Model extends Choosable>(models: readonly Model[], plan: Plan): ReadonlyMap<Model, Suggestion> {
  const offered = models.filter(isSelectable)
  const byPrice = usableModels(models, plan).toSorted((a, b) => creditsFor(a) - creditsFor(b))
  const others = { everyday: usableModels(models, plan), smart: byPrice.toReversed(), cheap: byPrice }
  const suggested = new Map<Model, Suggestion>()
  for (const kind of ['everyday', 'smart', 'cheap'] as const) {
    const listed = suggestedIds[kind].flatMap((id) => offered.find((model) => model.id === id || model.model.endsWith(`/${id}`)) ?? [])
    const model = [...listed, ...others[kind]].find((candidate) => !suggested.has(candidate))
    if (model) suggested.set(model, kind)
  }
  return suggested
}

type CatalogueView = {
  readonly search: string
  readonly filter: CatalogueFilter
  readonly pins: readonly string[]
  /** Listed before the pinned models. */
  readonly selectedId: string | undefined
  /** The user's plan; a guest's until it is loaded. */
  readonly plan: Plan | undefined
  /** True if the model would refuse this user. */
  readonly isRefused: (model: ModelRow) => boolean
}

/** A search covers all models, whatever the rail selects. Every word must match the name, the maker or the description. */
export function modelsShown(
  models: readonly ModelRow[],
  { search, filter, pins, selectedId, plan, isRefused }: CatalogueView,
): readonly ModelRow[] {
  const words = wordsOf(search)
  if (words.length > 0) {
    return foundIn(models, words, (model) => ({
      title: model.name,
      words: `${knownMakerName(model.icon)} ${modelDescription(model)}`,
      standing: model.unavailable === 'model_retired' ? 'retired' : isRefused(model) ? 'refused' : 'usable',
    })).map(({ item }) => item)
  }
  // Models that are no longer offered are hidden on a maker's filter; a search finds them with the reason.
  if (filter !== pinnedFilter) return models.filter(({ icon, unavailable }) => icon === filter && unavailable !== 'model_retired')
  const selected = models.filter(({ id }) => id === selectedId)
  return [...selected, ...pinnedModels(models, pins, plan ?? 'guest').filter(({ id }) => id !== selectedId)]
}

/**
 * The models that a user may mean by this name: every word begins a word of the name or of the maker. Spaces between words, letters and digits
 * are optional: "gpt5" and "qwen 3" count. Descriptions do not.
 */
export const modelsNamed = (models: readonly ModelRow[], name: string, isRefused: (model: ModelRow) => boolean): readonly ModelRow[] =>
  foundIn(models.filter(isSelectable), wordsOf(name), (model) => ({
    title: model.name.replace(/(?<=\p{L})(?=\d)/gu, ' '),
    words: `${knownMakerName(model.icon)} ${model.name} ${model.name.replace(/[\s-]/g, '')}`,
    standing: isRefused(model) ? 'refused' : 'usable',
  })).flatMap(({ item, match }) => (match === 2 || match === 4 ? [] : item))

type Viewer = Pick<Me, 'usage'> & { readonly plan: Plan }

/** Why a model would refuse the next message; null if it would accept it. */
export const modelProblem = (model: ModelRow, viewer: Viewer | undefined, nowMs: number): Refusal | null =>
  viewer ? sendRefusal(viewer.plan, model, viewer.usage, nowMs) : null

/** Refusals that another plan lifts. */
const locks = ['account_required', 'premium_required']
export const isLocked = (refusal: Refusal | null): refusal is Refusal => refusal !== null && locks.includes(refusal.code)

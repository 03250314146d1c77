/** The models page as data: search, filters, and groups by maker. */
import { modelDescription } from '../../lib/model-description.ts'
import { makersOf } from '../../lib/model-makers.ts'
import type { ModelRow } from '../../sync/rows.ts'
import { makerName } from '../../ui/maker-icon.tsx'

export const modelFilters = ['pinned', 'free', 'pro', 'images', 'reasoning'] as const
export type ModelFilter = (typeof modelFilters)[number]

/** No model is free and PRO at once, so one replaces the other. */
const replacedBy: Partial<Record<ModelFilter, ModelFilter>> = { free: 'pro', pro: 'free' }

export const withFilterToggled = (filters: readonly ModelFilter[], filter: ModelFilter): readonly ModelFilter[] =>
  filters.includes(filter)
    ? filters.filter((other) => other !== filter)
    : [...filters.filter((other) => other !== replacedBy[filter]), filter]

type Listing = {
  readonly search: string
  /** A model must match all of them. */
  readonly filters: readonly ModelFilter[]
  /** The models that match the filter `pinned`. */
  readonly pins: readonly string[]
}

type MakerGroup = { readonly maker: string; readonly models: readonly ModelRow[] }

export function listedModels(models: readonly ModelRow[], { search, filters, pins }: Listing): readonly MakerGroup[] {
  const query = search.trim().toLowerCase()
  const matches: Record<ModelFilter, (model: ModelRow) => boolean> = {
    pinned: ({ id }) => pins.includes(id),
    free: ({ access }) => access !== 'premium_required',
    pro: ({ access }) => access === 'premium_required',
    images: ({ capabilities }) => capabilities?.includes('vision') === true,
    reasoning: ({ capabilities }) => capabilities?.includes('reasoning') === true,
  }
  const found = models.filter(
    (model) =>
      `${model.name} ${makerName(model.icon)} ${modelDescription(model)}`.toLowerCase().includes(query) &&
      // A search finds models that are no longer offered, with the reason.
      (query !== '' || model.unavailable !== 'model_retired') &&
      filters.every((filter) => matches[filter](model)),
  )
  return makersOf(found).map((maker) => ({ maker, models: found.filter(({ icon }) => icon === maker) }))
}

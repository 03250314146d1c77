/** How long a reasoning model is to think. The levels a model offers are data of its row; these are all there are, least first. */
import type { RowOf } from './schema.ts'

export const effortLevels = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const
export type Effort = (typeof effortLevels)[number]

export const effortNames: { readonly [Level in Effort]: string } = {
  none: 'None',
  minimal: 'Minimal',
  low: 'Low',
  medium: 'Medium',
  high: 'High',
  xhigh: 'Extra high',
  max: 'Max',
}

type ModelFacts = Pick<RowOf<'model'>, 'effort'>

/** What this model offers, least first; empty for a model whose effort nobody chooses. */
export const effortsOf = ({ effort }: ModelFacts): readonly Effort[] => effortLevels.filter((level) => effort?.includes(level))

/** The wished level when the model offers it, else its default: medium, or the lower middle. Null for a model without levels. */
export function effortFor(model: ModelFacts, wished: string | null | undefined): Effort | null {
  const offered = effortsOf(model)
  return (
    offered.find((level) => level === wished) ?? offered.find((level) => level === 'medium') ?? offered[(offered.length - 1) >> 1] ?? null
  )
}

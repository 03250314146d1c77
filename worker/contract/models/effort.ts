/** Reasoning effort. A model's row lists the levels that the model offers. `effortLevels` lists all levels, lowest first. */
import type { RowOf } from '../schema.ts'

export const effortLevels = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const
export type Effort = (typeof effortLevels)[number]

export type EffortModel = Pick<RowOf<'model'>, 'effort'>

/** Levels of this model, lowest first. Empty if the effort of the model cannot be chosen. */
export const effortsOf = ({ effort }: EffortModel): readonly Effort[] => effortLevels.filter((level) => effort?.includes(level))

/** The requested level if the model offers it, otherwise its default: medium, or the lower middle. Null for a model without levels. */
export function effortFor(model: EffortModel, requested: string | null | undefined): Effort | null {
  const offered = effortsOf(model)
  return (
    offered.find((level) => level === requested) ??
    offered.find((level) => level === 'medium') ??
    offered[(offered.length - 1) >> 1] ??
    null
  )
}

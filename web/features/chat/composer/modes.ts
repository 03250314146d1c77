/** Search and Research, which the user can choose for one message. */
import { Globe, Telescope } from 'lucide-react'
import { modeAllowance } from '../../../../worker/contract/access.ts'
import type { TurnMode } from '../../../../worker/contract/models/modes.ts'
import type { Me } from '../../../sync/rows.ts'
import { t } from './texts/en.ts'

export type ChosenMode = Exclude<TurnMode, 'chat'>

export const chosenModes = ['search', 'research'] as const satisfies readonly ChosenMode[]

export const modeIcons = { search: Globe, research: Telescope } as const

export const modeName = (mode: ChosenMode): string => t(`${mode}Mode`)

/** The daily allowance. */
export const allowanceOf = (mode: ChosenMode, { plan, usage }: Me, nowMs: number) => modeAllowance(mode, plan, usage, nowMs)

export function modeDescription(mode: ChosenMode, me: Me, nowMs: number): string {
  const { left, limit } = allowanceOf(mode, me, nowMs)
  return t(`${mode}Description`, { left, limit })
}

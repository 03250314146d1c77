/**
 * Selects Chat, Search or Research for the next message. A mode that needs PRO opens the offer. Another unavailable mode stays visible with its
 * reason and announces it when it is selected. Without web search there is only Chat, and nothing to select.
 */

import { Globe, Lock, MessageSquare, Telescope } from 'lucide-react'
import { useId } from 'react'
import { modeAllowance } from '../../../../worker/contract/access.ts'
import type { Refusal } from '../../../../worker/contract/errors.ts'
import { type TurnMode, turnModes } from '../../../../worker/contract/models/modes.ts'
import { firstPaintText } from '../../../lib/i18n/first-paint-text.ts'
import { pageSettings } from '../../../lib/page-settings.ts'
import { sendingSentence } from '../../../lib/refusals/sending-sentence.ts'
import { useServerNow } from '../../../lib/server-clock.ts'
import type { Me } from '../../../sync/rows.ts'
import { tooltip } from '../../../ui/tooltip.tsx'
import { isLockedMode, modeProblem } from './mode-problem.ts'
import { withResetTime } from './refusal-text.ts'
import { t } from './texts/en.ts'

type ToolModeProps = {
  readonly mode: TurnMode
  readonly me: Me
  readonly onChoose: (mode: TurnMode) => void
  readonly onRefused: (reason: Refusal) => void
}

export function ToolMode({ mode, me, onChoose, onRefused }: ToolModeProps) {
  const group = useId()
  const nowMs = useServerNow()
  if (!pageSettings.search) return null
  return (
    <fieldset className="flex shrink-0 items-center rounded-lg bg-foreground/6 p-0.5">
      <legend className="sr-only">{t('howToAnswer')}</legend>
      {turnModes.map((option) => {
        const name = modeName(option)
        const Icon = modeIcons[option]
        const problem = modeProblem(option, me, true, nowMs)
        const isLocked = isLockedMode(problem)
        const description = problem ? withResetTime(problem.code, sendingSentence(problem) ?? '', nowMs) : descriptionFor(option, me, nowMs)
        return (
          <label
            key={option}
            {...tooltip(description)}
            className="relative touch-target flex h-7 cursor-pointer items-center gap-1.5 rounded-md px-2 text-xs text-muted-foreground transition-colors has-checked:bg-raised has-checked:text-foreground has-checked:shadow-[0_0_0_1px_var(--border)] has-checked:after:absolute has-checked:after:inset-x-2 has-checked:after:bottom-0 has-checked:after:h-0.5 has-checked:after:rounded-full has-checked:after:bg-accent has-focus-visible:outline-2 has-focus-visible:outline-ring has-aria-disabled:cursor-not-allowed has-aria-disabled:[&>:not(input)]:opacity-50 touch:h-9 touch:px-2 @2xl:touch:px-2.5 [&_svg]:size-3.5"
          >
            <input
              type="radio"
              name={group}
              aria-label={name}
              aria-description={description}
              aria-disabled={(problem !== null && !isLocked) || undefined}
              checked={mode === option}
              onChange={() => (problem ? onRefused(problem) : onChoose(option))}
              className="absolute inset-0 cursor-[inherit] appearance-none opacity-0"
            />
            <Icon aria-hidden="true" />
            <span className="@max-2xl:sr-only">{name}</span>
            {isLocked && <Lock aria-hidden="true" className="size-3!" />}
            {/* Describes the selected mode on devices without hover. */}
            {mode === option && option !== 'chat' && (
              <span className="whitespace-nowrap text-muted-foreground">
                {t('usesLeft', { left: allowanceOf(option, me, nowMs).left })}
              </span>
            )}
          </label>
        )
      })}
    </fieldset>
  )
}

/** The daily allowance. */
export const allowanceOf = (mode: 'search' | 'research', { plan, usage }: Me, nowMs: number) => modeAllowance(mode, plan, usage, nowMs)

function descriptionFor(mode: TurnMode, me: Me, nowMs: number): string {
  if (mode === 'chat') return t('chatDescription')
  const { left, limit } = allowanceOf(mode, me, nowMs)
  return t(mode === 'search' ? 'searchDescription' : 'researchDescription', { left, limit })
}

/** Icon of each mode. */
export const modeIcons = { chat: MessageSquare, search: Globe, research: Telescope } as const

export const modeName = (mode: TurnMode): string => firstPaintText(`${mode}Mode`)

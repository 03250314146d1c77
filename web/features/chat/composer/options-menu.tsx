/** On narrow windows, one menu for the mode, the reasoning effort and files. The button shows a mode other than Chat. */
import { CircleSlash2, Lock, Paperclip, Plus } from 'lucide-react'
import type { Refusal } from '../../../../worker/contract/errors.ts'
import { type Effort, effortFor } from '../../../../worker/contract/models/effort.ts'
import { type TurnMode, turnModes } from '../../../../worker/contract/models/modes.ts'
import { pageSettings } from '../../../lib/page-settings.ts'
import { useServerNow } from '../../../lib/server-clock.ts'
import type { Me } from '../../../sync/rows.ts'
import { Menu, MenuItem, MenuLabel, MenuSeparator } from '../../../ui/menu.tsx'
import { EffortItems } from './effort-picker.tsx'
import { isLockedMode, modeProblem } from './mode-problem.ts'
import { t } from './texts/en.ts'
import { allowanceOf, modeIcons, modeName } from './tool-mode.tsx'

type OptionsMenuProps = {
  readonly mode: TurnMode
  readonly me: Me
  /** As in `EffortPicker`. */
  readonly chosenEffort: string | null | undefined
  readonly onChooseMode: (mode: TurnMode) => void
  readonly onRefused: (reason: Refusal) => void
  readonly onChooseEffort: (effort: Effort) => void
  readonly onAttach: () => void
}

/** Without web search there is only Chat, and nothing to select. */
const offeredModes = pageSettings.search ? turnModes : []

export function OptionsMenu({ mode, me, chosenEffort, onChooseMode, onRefused, onChooseEffort, onAttach }: OptionsMenuProps) {
  const nowMs = useServerNow()
  const effort = me.model ? effortFor(me.model, chosenEffort) : null
  const Icon = mode === 'chat' ? Plus : modeIcons[mode]
  if (!pageSettings.search && !effort && !pageSettings.files) return null
  const left = mode !== 'chat' && t('usesLeft', { left: allowanceOf(mode, me, nowMs).left })
  return (
    <Menu
      label={t('options')}
      placement="top-start"
      className="w-64"
      trigger={(props) => (
        <button
          {...props}
          type="button"
          aria-label={[t('options'), left].filter(Boolean).join(' · ')}
          aria-description={[modeName(mode), effort && t(effort)].filter(Boolean).join(' · ')}
          className="flex h-9 min-w-9 shrink-0 touch-target items-center justify-center gap-1.5 rounded-lg px-2 text-xs whitespace-nowrap text-muted-foreground aria-expanded:bg-foreground/7 aria-expanded:text-foreground"
        >
          <Icon aria-hidden="true" className={mode === 'chat' ? 'size-5' : 'size-4 text-accent'} />
          {left}
        </button>
      )}
    >
      {pageSettings.search && <MenuLabel>{t('howToAnswer')}</MenuLabel>}
      {offeredModes.map((option) => {
        const problem = modeProblem(option, me, true, nowMs)
        const ModeIcon = modeIcons[option]
        return (
          <MenuItem
            key={option}
            icon={<ModeIcon aria-hidden="true" />}
            checked={option === mode}
            // The composer shows the offer, or the refusal and an action.
            onSelect={() => (problem ? onRefused(problem) : onChooseMode(option))}
          >
            <span className="flex items-center gap-2">
              {modeName(option)}
              {isLockedMode(problem) ? (
                <Lock aria-hidden="true" className="size-3!" />
              ) : problem ? (
                <CircleSlash2 aria-hidden="true" className="size-3.5!" />
              ) : (
                option !== 'chat' && (
                  <span className="text-xs text-muted-foreground">{t('usesLeft', { left: allowanceOf(option, me, nowMs).left })}</span>
                )
              )}
            </span>
          </MenuItem>
        )
      })}
      {me.model && effort && (
        <>
          {pageSettings.search && <MenuSeparator />}
          <EffortItems model={me.model} chosen={chosenEffort} onChoose={onChooseEffort} />
        </>
      )}
      {pageSettings.files && (
        <>
          {(pageSettings.search || effort) && <MenuSeparator />}
          <MenuItem icon={<Paperclip aria-hidden="true" />} onSelect={onAttach}>
            {t('attachFiles')}
          </MenuItem>
        </>
      )}
    </Menu>
  )
}

/** On narrow windows, one menu for the tools, the reasoning effort and files. The button shows what is chosen for the next message. */
import { Paperclip, Plus } from 'lucide-react'
import { type Effort, effortFor } from '../../../../worker/contract/models/effort.ts'
import { pageSettings } from '../../../lib/page-settings.ts'
import { useServerNow } from '../../../lib/server-clock.ts'
import { Menu, MenuItem, MenuSeparator } from '../../../ui/menu.tsx'
import { EffortItems } from './effort-picker.tsx'
import { allowanceOf, modeIcons, modeName } from './modes.ts'
import { t } from './texts/en.ts'
import { ToolItems } from './tool-items.tsx'
import { type ToolsProps, useToolSources } from './tool-sources.ts'

type OptionsMenuProps = ToolsProps & {
  /** As in `EffortPicker`. */
  readonly chosenEffort: string | null | undefined
  readonly onChooseEffort: (effort: Effort) => void
  readonly onAttach: () => void
}

export function OptionsMenu({ chosenEffort, onChooseEffort, onAttach, ...tools }: OptionsMenuProps) {
  const { mode, me } = tools
  const nowMs = useServerNow()
  const effort = me.model ? effortFor(me.model, chosenEffort) : null
  const Icon = mode === 'chat' ? Plus : modeIcons[mode]
  const hasTools = useToolSources().length > 0
  if (!hasTools && !effort && !pageSettings.files) return null
  const chosen = mode === 'chat' ? null : modeName(mode)
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
          aria-description={[chosen, effort && t(effort)].filter(Boolean).join(' · ')}
          className="flex h-9 min-w-9 shrink-0 touch-target items-center justify-center gap-1.5 rounded-lg px-2 text-xs whitespace-nowrap text-muted-foreground aria-expanded:bg-foreground/7 aria-expanded:text-foreground"
        >
          <Icon aria-hidden="true" className={mode === 'chat' ? 'size-5' : 'size-4 text-accent'} />
          {left}
        </button>
      )}
    >
      {hasTools && <ToolItems {...tools} />}
      {me.model && effort && (
        <>
          {hasTools && <MenuSeparator />}
          <EffortItems model={me.model} chosen={chosenEffort} onChoose={onChooseEffort} />
        </>
      )}
      {pageSettings.files && (
        <>
          {(hasTools || effort) && <MenuSeparator />}
          <MenuItem icon={<Paperclip aria-hidden="true" />} onSelect={onAttach}>
            {t('attachFiles')}
          </MenuItem>
        </>
      )}
    </Menu>
  )
}

/** Selects the reasoning effort. Shown only for models that support it. */
import { ChevronDown, Gauge } from 'lucide-react'
import { type Effort, effortFor, effortsOf } from '../../../../worker/contract/models/effort.ts'
import type { ModelRow } from '../../../sync/rows.ts'
import { Menu, MenuItem, MenuLabel } from '../../../ui/menu.tsx'
import { tooltip } from '../../../ui/tooltip.tsx'
import { t } from './texts/en.ts'

type EffortPickerProps = {
  readonly model: ModelRow
  /** The effort stored for this thread; a model that does not offer it uses its default. */
  readonly chosen: string | null | undefined
  readonly onChoose: (effort: Effort) => void
}

export function EffortPicker({ model, chosen, onChoose }: EffortPickerProps) {
  const effort = effortFor(model, chosen)
  if (effort === null) return null
  return (
    <Menu
      label={t('effort')}
      placement="top-start"
      trigger={(props) => (
        <button
          {...props}
          type="button"
          aria-label={t('effort')}
          aria-description={t(effort)}
          {...tooltip(t('effortNamed', { effort: t(effort) }))}
          className="flex h-9 shrink-0 touch-target items-center gap-1.5 rounded-lg px-2 text-sm text-muted-foreground transition-colors hover:bg-foreground/7 hover:text-foreground aria-expanded:bg-foreground/7 aria-expanded:text-foreground"
        >
          <Gauge className="size-4" aria-hidden="true" />
          <span aria-hidden="true" className="@max-2xl:hidden">
            {t(effort)}
          </span>
          <ChevronDown className="size-3.5 opacity-60 @max-2xl:hidden" aria-hidden="true" />
        </button>
      )}
    >
      <EffortItems model={model} chosen={chosen} onChoose={onChoose} />
    </Menu>
  )
}

export function EffortItems({ model, chosen, onChoose }: EffortPickerProps) {
  const effort = effortFor(model, chosen)
  return (
    <>
      <MenuLabel>{t('effort')}</MenuLabel>
      {effortsOf(model).map((level) => (
        <MenuItem key={level} checked={level === effort} onSelect={() => onChoose(level)}>
          {t(level)}
        </MenuItem>
      ))}
    </>
  )
}

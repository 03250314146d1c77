/** A field of a form that names one model or none. It opens the catalogue. */
import { ChevronsUpDown, X } from 'lucide-react'
import { useId } from 'react'
import { cx } from '../../../lib/cx.ts'
import { useModels } from '../../../sync/hooks.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { MakerIcon } from '../../../ui/maker-icon.tsx'
import { Popover } from '../../../ui/popover.tsx'
import { fieldClass } from '../../../ui/text-field.tsx'
import { PickerPanel, pickerClass } from './lazy-picker.ts'
import { t } from './texts/en.ts'

type ModelFieldProps = {
  readonly label: string
  readonly description: string
  /** Shown without a model. */
  readonly noModel: string
  readonly removeLabel: string
  readonly modelId: string | null
  readonly onChoose: (modelId: string | null) => void
}

export function ModelField({ label, description, noModel, removeLabel, modelId, onChoose }: ModelFieldProps) {
  const { models } = useModels()
  const model = models.find(({ id }) => id === modelId)
  const id = useId()
  return (
    <div className="flex flex-col gap-1.5">
      <span id={id} className="font-medium">
        {label}
      </span>
      <div className="flex items-center gap-1 touch:gap-3">
        <Popover
          label={t('chooseModel')}
          className={pickerClass}
          trigger={(props) => (
            <button
              {...props}
              type="button"
              id={`${id}-model`}
              aria-labelledby={`${id} ${id}-model`}
              aria-describedby={`${id}-note`}
              onPointerEnter={PickerPanel.preload}
              onFocus={PickerPanel.preload}
              className={cx(fieldClass, 'flex h-9 min-w-0 items-center gap-2 text-left touch:h-11')}
            >
              {model && <MakerIcon maker={model.icon} />}
              <span className="min-w-0 flex-1 truncate">{model?.name ?? noModel}</span>
              <ChevronsUpDown aria-hidden="true" className="size-3.5 shrink-0 opacity-60" />
            </button>
          )}
        >
          {(close) => (
            <PickerPanel
              selectedId={modelId ?? undefined}
              onClose={close}
              onChoose={(chosen) => {
                close()
                onChoose(chosen.id)
              }}
            />
          )}
        </Popover>
        {modelId !== null && (
          <IconButton label={removeLabel} onClick={() => onChoose(null)}>
            <X />
          </IconButton>
        )}
      </div>
      <p id={`${id}-note`} className="text-xs text-muted-foreground text-pretty">
        {description}
      </p>
    </div>
  )
}

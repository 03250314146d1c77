/** A small menu with the catalogue: selects a model for one action and changes no setting. */
import { ChevronDown } from 'lucide-react'
import type { ModelRow } from '../../../sync/rows.ts'
import { Button } from '../../../ui/button.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { Popover } from '../../../ui/popover.tsx'
import { PickerPanel, pickerClass } from './lazy-picker.ts'

export type ModelMenuProps = {
  readonly label: string
  /** Shows the label as text. Otherwise, an arrow beside another button has the label as its accessible name. */
  readonly isLabelShown?: boolean
  readonly selectedId: string
  readonly disabledReason: string | undefined
  /** Note shown at a model before it is selected. */
  readonly noteOf?: (model: ModelRow) => string | undefined
  readonly onChoose: (modelId: string) => void
}

export function ModelMenu({ label, isLabelShown = false, selectedId, disabledReason, noteOf, onChoose }: ModelMenuProps) {
  return (
    <Popover
      label={label}
      placement="top-start"
      className={pickerClass}
      trigger={(trigger) => {
        const props = { ...trigger, size: 'sm', disabledReason, onPointerEnter: PickerPanel.preload, onFocus: PickerPanel.preload } as const
        if (isLabelShown)
          return (
            <Button {...props} variant="ghost">
              {label}
              <ChevronDown aria-hidden="true" className="size-3.5" />
            </Button>
          )
        return (
          <IconButton {...props} label={label} className="-ml-1 w-5 touch:ml-2 touch:w-7">
            <ChevronDown />
          </IconButton>
        )
      }}
    >
      {(close) => (
        <PickerPanel
          selectedId={selectedId}
          onClose={close}
          {...(noteOf && { noteOf })}
          onChoose={({ id }) => {
            close()
            onChoose(id)
          }}
        />
      )}
    </Popover>
  )
}

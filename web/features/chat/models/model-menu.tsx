/** A small menu with the catalogue: selects a model for one action and changes no setting. */
import { ChevronDown } from 'lucide-react'
import type { ModelRow } from '../../../sync/rows.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { Popover } from '../../../ui/popover.tsx'
import { PickerPanel, pickerClass } from './model-picker.tsx'

export type ModelMenuProps = {
  readonly label: string
  readonly selectedId: string
  readonly disabledReason: string | undefined
  /** Note shown at a model before it is selected. */
  readonly noteOf?: (model: ModelRow) => string | undefined
  readonly onChoose: (modelId: string) => void
}

export function ModelMenu({ label, selectedId, disabledReason, noteOf, onChoose }: ModelMenuProps) {
  return (
    <Popover
      label={label}
      placement="top-start"
      className={pickerClass}
      trigger={(props) => (
        <IconButton
          {...props}
          size="sm"
          label={label}
          disabledReason={disabledReason}
          className="-ml-1 w-5 touch:ml-2 touch:w-7"
          onPointerEnter={PickerPanel.prepare}
          onFocus={PickerPanel.prepare}
        >
          <ChevronDown />
        </IconButton>
      )}
    >
      {(close) => (
        <PickerPanel
          selectedId={selectedId}
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

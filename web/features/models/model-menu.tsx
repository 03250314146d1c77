/** The catalogue behind a small arrow: chooses a model for one thing, and changes no setting. */
import { ChevronDown } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { IconButton } from '../../ui/icon-button.tsx'
import { Popover } from '../../ui/popover.tsx'

const loadPanel = () => import('./picker-panel.tsx')
const PickerPanel = lazy(() => loadPanel().then((module) => ({ default: module.PickerPanel })))
const prepare = () => void loadPanel().catch(() => undefined)

type ModelMenuProps = {
  readonly label: string
  readonly selectedId: string
  readonly disabledReason: string | undefined
  readonly onChoose: (modelId: string) => void
}

export function ModelMenu({ label, selectedId, disabledReason, onChoose }: ModelMenuProps) {
  return (
    <Popover
      label={label}
      side="top"
      className="overflow-hidden rounded-xl"
      trigger={(props) => (
        <IconButton
          {...props}
          size="sm"
          label={label}
          disabledReason={disabledReason}
          className="-ml-1 w-5 touch:ml-2 touch:w-7"
          onPointerEnter={prepare}
          onFocus={prepare}
        >
          <ChevronDown />
        </IconButton>
      )}
    >
      {(close) => (
        <Suspense fallback={<div className="h-[min(24.5rem,calc(100dvh-9rem))] w-[min(30rem,calc(100vw-1rem))]" />}>
          <PickerPanel
            selectedId={selectedId}
            onChoose={({ id }) => {
              close()
              onChoose(id)
            }}
          />
        </Suspense>
      )}
    </Popover>
  )
}

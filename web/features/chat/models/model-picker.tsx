/** Shows and changes the model of the next message. The list loads when the pointer or the focus first reaches the button. */
import { ChevronsUpDown } from 'lucide-react'
import { lazyPart } from '../../../lib/lazy-part.ts'
import { useSaveSettings } from '../../../sync/act.ts'
import { useMe } from '../../../sync/hooks.ts'
import type { ModelRow } from '../../../sync/rows.ts'
import { MakerIcon } from '../../../ui/maker-icon.tsx'
import { Popover } from '../../../ui/popover.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { toast } from '../../../ui/toaster.tsx'
import { tooltip } from '../../../ui/tooltip.tsx'
import type { ComparedChoice } from './picker-panel.tsx'
import { t } from './texts/en.ts'

/** The picker panel, loaded on first use. */
export const PickerPanel = lazyPart(() => import('./picker-panel.tsx').then((module) => module.PickerPanel))

/** Reserves the space of the panel. Chosen: on wide windows, the names of makers and models fit on one line. */
export const pickerClass = 'h-[min(29rem,var(--popover-available-height,29rem))] w-[min(40rem,calc(100vw-1rem))] overflow-hidden rounded-xl'

type ModelPickerProps = {
  /** The model of the next message, if it is not that of the settings. A choice then changes no setting. */
  readonly only: ModelRow | undefined
  readonly onChosen: (modelId: string) => void
  /** The models that answer besides the selected one. Null if only one can answer. */
  readonly compared: ComparedChoice | null
}

/** The sentences are not part of the first load. */
const loadSentences = () => import('../../../lib/refusals/sentence.ts')

export function ModelPicker({ only, onChosen, compared }: ModelPickerProps) {
  const me = useMe()
  const model = only ?? me?.model
  const saveSettings = useSaveSettings()
  const save = async (modelId: string) => {
    const outcome = await saveSettings({ modelId })
    if (outcome.ok) return
    const { refusalSentence } = await loadSentences()
    toast('error', refusalSentence(outcome.refusal))
  }
  return (
    <Popover
      label={t('chooseModel')}
      placement="top-start"
      className={pickerClass}
      trigger={(props) => (
        // The name of the button is its purpose, and the chosen model is its description. The text lies below the button, not in it.
        <span className="relative flex h-9 min-w-0 items-center gap-2 rounded-lg px-2 text-sm text-muted-foreground transition-colors hover:bg-foreground/7 hover:text-foreground has-aria-expanded:bg-foreground/7 has-aria-expanded:text-foreground">
          {model && <MakerIcon maker={model.icon} />}
          {me ? (
            <span aria-hidden="true" className="min-w-0 max-w-72 truncate">
              {model?.name ?? t('chooseModel')}
            </span>
          ) : (
            // As wide as the default model, so that nothing moves on a first visit.
            <Skeleton className="h-4 w-18" />
          )}
          <ChevronsUpDown className="size-3.5 shrink-0 opacity-60 @max-2xl:hidden" aria-hidden="true" />
          <button
            {...props}
            type="button"
            aria-label={t('model')}
            aria-description={model?.name}
            {...tooltip(t('chooseModel'))}
            onPointerEnter={PickerPanel.preload}
            onFocus={PickerPanel.preload}
            className="absolute inset-0 rounded-lg pointer-coarse:-inset-y-1"
          />
        </span>
      )}
    >
      {(close) => (
        <PickerPanel
          selectedId={model?.id}
          compared={compared}
          onDone={close}
          onChoose={({ id }) => {
            close()
            if (!only && id !== model?.id) void save(id)
            onChosen(id)
          }}
        />
      )}
    </Popover>
  )
}

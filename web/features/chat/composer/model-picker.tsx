/** Shows and changes the model of the next message. The list loads when the pointer or the focus first reaches the button. */
import { ChevronsUpDown } from 'lucide-react'
import type { ComponentProps } from 'react'
import { lazyPart } from '../../../lib/lazy-part.ts'
import type { ModelRow } from '../../../sync/rows.ts'
import { MakerIcon } from '../../../ui/maker-icon.tsx'
import { Popover } from '../../../ui/popover.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { tooltip } from '../../../ui/tooltip.tsx'
import { pickerClass } from '../models/lazy-picker.ts'
import { t } from '../models/texts/en.ts'
import { choose } from './drafts.ts'

const ModelPanel = lazyPart(() => import('./model-panel.tsx').then((module) => module.ModelPanel))

type ModelPickerProps = Omit<ComponentProps<typeof ModelPanel>, 'selectedId' | 'onClose'> & {
  /** Undefined while it is not loaded. */
  readonly model: ModelRow | null | undefined
  /** The model is for the next message only. */
  readonly isForOnce: boolean
}

const ForOneMessage = lazyPart(() => import('./for-one-message.tsx').then((module) => module.ForOneMessage))

export function ModelPicker({ model, isForOnce, ...panel }: ModelPickerProps) {
  return (
    <Popover
      label={t('chooseModel')}
      placement="top-start"
      className={pickerClass}
      trigger={(props) => (
        // The name of the button is its purpose, and the chosen model is its description. The text lies below the button, not in it.
        <span className="relative flex h-9 min-w-0 items-center gap-2 rounded-lg px-2 text-sm text-muted-foreground transition-colors hover:bg-foreground/7 hover:text-foreground has-aria-expanded:bg-foreground/7 has-aria-expanded:text-foreground">
          {model && <MakerIcon maker={model.icon} />}
          {model !== undefined ? (
            <span aria-hidden="true" className="min-w-0 max-w-72 truncate">
              {model?.name ?? t('chooseModel')}
            </span>
          ) : (
            // As wide as the default model, so that nothing moves on a first visit.
            <Skeleton className="h-4 w-18" />
          )}
          {isForOnce && model && (
            <ForOneMessage
              name={model.name}
              onRemove={() => choose(panel.draftKey, { modelId: null, switchedFrom: null, keepsModel: false })}
            />
          )}
          <ChevronsUpDown className="size-3.5 shrink-0 opacity-60 @max-2xl:hidden" aria-hidden="true" />
          <button
            {...props}
            type="button"
            data-anchor="form"
            aria-label={t('model')}
            aria-description={model?.name}
            {...tooltip(t('chooseModel'))}
            onPointerEnter={ModelPanel.preload}
            onFocus={ModelPanel.preload}
            className="absolute inset-0 rounded-lg pointer-coarse:-inset-y-1"
          />
        </span>
      )}
    >
      {(close) => <ModelPanel {...panel} selectedId={model?.id} onClose={close} />}
    </Popover>
  )
}

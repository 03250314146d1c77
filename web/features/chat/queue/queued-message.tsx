/** A queued message: outlined because it is not sent yet. It can be edited and removed. */
import { Pencil, X } from 'lucide-react'
import type { AttachedFile } from '../../../../worker/contract/files/files.ts'
import type { TurnMode } from '../../../../worker/contract/models/modes.ts'
import { cx } from '../../../lib/cx.ts'
import type { ModelRow } from '../../../sync/rows.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { MakerIcon } from '../../../ui/maker-icon.tsx'
import { focusNeighbour } from '../composer/focus-neighbour.ts'
import { type ChosenMode, modeIcons, modeName } from '../composer/modes.ts'
import { MessageFiles } from '../message/message-files.tsx'
import { WaitsForConnection } from '../message/waiting.tsx'
import { ModelMenu } from '../models/model-menu.tsx'
import { t } from './texts/en.ts'

type QueuedMessageProps = {
  readonly id: string
  readonly text: string
  readonly files: readonly AttachedFile[]
  readonly mode: TurnMode
  readonly modelId: string
  /** Undefined while the catalogue is not loaded, and for a model that was removed from it. */
  readonly model: ModelRow | undefined
  /** The other models of a comparison. */
  readonly others: readonly ModelRow[]
  /** Notes the earlier content that the model would not receive. */
  readonly noteOf: (model: ModelRow) => string | undefined
  readonly isHeld: boolean
  readonly onEdit: () => void
  readonly onChooseModel: (modelId: string) => void
  readonly onRemove: () => void
}

export function QueuedMessage(props: QueuedMessageProps) {
  const { id, text, files, mode, modelId, model, others, noteOf, isHeld, onEdit, onChooseModel, onRemove } = props
  return (
    <article aria-label={t('queuedMessage')} className="flex w-full flex-col items-end">
      {files.length > 0 && <MessageFiles files={files} isSmall />}
      {text !== '' && (
        <div
          className={cx(
            'min-w-0 max-w-[85%] rounded-2xl border border-dashed border-control/60 px-4 py-2.5',
            isHeld && 'border-warning/60',
          )}
        >
          <p
            dir="auto"
            className="line-clamp-6 [unicode-bidi:plaintext] text-base leading-6 wrap-anywhere whitespace-pre-wrap text-muted-foreground"
          >
            {text}
          </p>
        </div>
      )}
      <div className="mt-1 flex min-h-7 flex-wrap items-center justify-end gap-x-0.5 touch:min-h-11 touch:gap-x-4">
        <span className="mr-1.5 flex empty:hidden">
          <WaitsForConnection messageId={id} />
        </span>
        {mode !== 'chat' && <Mode mode={mode} />}
        {[model, ...others].map(
          (asked) =>
            asked && (
              <span key={asked.id} className="mr-1 flex min-w-0 items-center gap-1.5 text-xs text-muted-foreground">
                <MakerIcon maker={asked.icon} className="size-3.5" />
                <span className="truncate">{asked.name}</span>
              </span>
            ),
        )}
        <ModelMenu label={t('sendWithModel')} selectedId={modelId} disabledReason={undefined} noteOf={noteOf} onChoose={onChooseModel} />
        <IconButton size="sm" label={t('editQueued')} onClick={onEdit}>
          <Pencil />
        </IconButton>
        <IconButton
          size="sm"
          data-remove-queued=""
          label={t('removeQueued')}
          onClick={({ currentTarget }) => {
            focusNeighbour(currentTarget.closest('article'), '[data-remove-queued]')
            onRemove()
          }}
        >
          <X />
        </IconButton>
      </div>
    </article>
  )
}

function Mode({ mode }: { readonly mode: ChosenMode }) {
  const Icon = modeIcons[mode]
  return (
    <span className="mr-2.5 flex items-center gap-1.5 text-xs text-muted-foreground">
      <Icon aria-hidden="true" className="size-3.5" />
      {modeName(mode)}
    </span>
  )
}

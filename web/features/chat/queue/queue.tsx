/** Messages queued while an answer streams. Synced; every device can edit them. */

import { useRef } from 'react'
import { editorLeaseExpiries, isBeingEdited, isEditedElsewhere } from '../../../../worker/contract/queue-editors.ts'
import { holdBehind, isDailyHold, isModeHold } from '../../../../worker/contract/queue-holds.ts'
import type { QueueHold } from '../../../../worker/contract/schema.ts'
import { resetTime } from '../../../lib/format.ts'
import { refusalSentence } from '../../../lib/refusals/sentence.ts'
import { useServerNow } from '../../../lib/server-clock.ts'
import { useStore } from '../../../lib/store.ts'
import { useMomentsPassed } from '../../../lib/use-moments-passed.ts'
import { useActions } from '../../../sync/actions.ts'
import { useModels } from '../../../sync/hooks.ts'
import type { QueuedRow } from '../../../sync/rows.ts'
import { Button } from '../../../ui/button.tsx'
import { focusComposer } from '../composer/composer-field.tsx'
import { modeName } from '../composer/tool-mode.tsx'
import { useUnseenNote } from '../message/regenerate-context.ts'
import type { ShownMessage } from '../message/shown-messages.ts'
import { toastIfRefused } from '../message/use-message-actions.ts'
import { closeQueuedEdit, isOwnEditor, openQueuedEdit, queuedEdits } from './queued-edits.ts'
import { QueuedMessage } from './queued-message.tsx'
import { saveQueuedEdit } from './save-queued-edit.ts'
import { t } from './texts/en.ts'

type QueueProps = {
  readonly queue: readonly QueuedRow[]
  /** The last message before the queue. */
  readonly head: Exclude<ShownMessage, { readonly kind: 'live' }> | undefined
  readonly busyReason: string | undefined
}

export function Queue({ queue, head, busyReason }: QueueProps) {
  const { models } = useModels()
  const actions = useActions()
  const sectionRef = useRef<HTMLElement>(null)
  const edits = useStore(queuedEdits)
  const noteOf = useUnseenNote(head?.id ?? null)
  const nowMs = useServerNow()
  // The lease of an editor whose page crashed expires without an event.
  useMomentsPassed(queue.flatMap(({ editors }) => editorLeaseExpiries(editors, nowMs)))
  const [first] = queue
  if (!first) return null
  const editOf = (id: string) => {
    const edit = edits.get(id)
    return edit?.state === 'open' ? edit : undefined
  }
  const save = ({ id, text }: QueuedRow) => (editOf(id)?.text === text ? close(id) : void saveQueuedEdit(actions, id))
  const close = (id: string) => {
    const edit = editOf(id)
    closeQueuedEdit(id)
    if (edit) void actions.editQueuedIn(id, edit.editorId, false)
  }
  const isEdited = isBeingEdited(first.editors, nowMs)
  const canSendAsChat = first.hold != null && isModeHold(first.hold) && (first.mode ?? 'chat') !== 'chat'
  const canSendNow = first.hold ? !isDailyHold(first.hold) : isEdited && !editOf(first.id) && busyReason === undefined
  return (
    <section ref={sectionRef} aria-label={t('queuedMessages')} className="flex flex-col items-end gap-2 pt-1">
      <div className="flex max-w-[85%] flex-wrap items-center justify-end gap-x-3 gap-y-1.5 text-xs text-muted-foreground">
        <p role="status" className="text-right text-pretty">
          {first.hold
            ? heldText(shownHold(first.hold, head), nowMs)
            : isEdited && busyReason === undefined
              ? t('sentAfterEdit')
              : t('sentAfterAnswer')}
        </p>
        {canSendNow && (
          <Button
            size="sm"
            disabledReason={busyReason ?? (editOf(first.id) && t('finishEditFirst'))}
            onClick={() => {
              focusComposer(sectionRef.current)
              void toastIfRefused(actions.sendQueued(first.id))
            }}
          >
            {t('sendNow')}
          </Button>
        )}
        {canSendAsChat && (
          <Button
            size="sm"
            onClick={() => {
              focusComposer(sectionRef.current)
              void toastIfRefused(actions.editQueued(first.id, { mode: 'chat' }))
            }}
          >
            {t('sendAs', { mode: modeName('chat') })}
          </Button>
        )}
      </div>
      {queue.map((queued) => (
        <QueuedMessage
          key={queued.id}
          id={queued.id}
          text={queued.text}
          files={queued.files ?? []}
          mode={queued.mode ?? 'chat'}
          modelId={queued.modelId}
          model={models.find(({ id }) => id === queued.modelId)}
          others={(queued.compareWith ?? []).flatMap(({ modelId }) => models.find(({ id }) => id === modelId) ?? [])}
          noteOf={noteOf}
          isHeld={first.hold != null}
          edit={editOf(queued.id)}
          isEditedElsewhere={isEditedElsewhere(queued.editors, isOwnEditor, nowMs)}
          onEdit={() => openQueuedEdit(queued.id, queued.threadId, queued.text)}
          onSave={() => save(queued)}
          onCancel={() => close(queued.id)}
          onChooseModel={(modelId) => void toastIfRefused(actions.editQueued(queued.id, { modelId }))}
          onRemove={() => void toastIfRefused(actions.removeQueued(queued.id))}
        />
      ))}
    </section>
  )
}

/** A plan that is deleted or on another branch does not hold the queue here. */
export const shownHold = (hold: QueueHold, head: QueueProps['head']): ShownHold =>
  hold === 'plan_waiting' && !(head?.kind === 'answer' && holdBehind(head.message) === hold) ? 'plan_gone' : hold

type ShownHold = QueueHold | 'plan_gone'

export function heldText(hold: ShownHold, nowMs: number): string {
  if (hold === 'plan_gone') return t('planUnavailable')
  const reason = reasonFor(hold)
  return isDailyHold(hold) ? t('sentAfterReset', { reason, time: resetTime(nowMs) }) : t('paused', { reason })
}

function reasonFor(hold: QueueHold): string {
  switch (hold) {
    case 'stopped':
      return t('stopped')
    case 'interrupted':
      return t('interrupted')
    case 'failed':
      return t('failed')
    case 'plan_waiting':
      return t('planWaiting')
    case 'no_model':
      return t('noModel')
    case 'images_unsupported':
      return t('noImages')
    case 'documents_unsupported':
      return t('noPdfs')
    case 'model_unreachable_now':
      return t('unreachable')
    default:
      return refusalSentence({ code: hold })
  }
}

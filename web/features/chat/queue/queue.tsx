/**
 * Messages queued while an answer streams. Synced; every device can edit them. Editing takes the message out of the queue and puts it into
 * the composer.
 */
import { use, useRef } from 'react'
import { mutators } from '../../../../worker/contract/mutators.ts'
import type { QueueHold } from '../../../../worker/contract/schema.ts'
import { holdBehind, isDailyHold, isDecisionHold, isModeHold } from '../../../../worker/contract/threads/queue-holds.ts'
import { asksForInput } from '../../../../worker/contract/tools/approvals.ts'
import { refusalSentence } from '../../../lib/refusals/sentence.ts'
import { resetTime } from '../../../lib/reset-time.ts'
import { serverNowMs, useServerNow } from '../../../lib/server-clock.ts'
import { type Act, settled, useAct } from '../../../sync/act.ts'
import { useModels } from '../../../sync/hooks.ts'
import { dropWriteOf, keep, writeOf } from '../../../sync/outbox.ts'
import type { Outcome } from '../../../sync/outcome.ts'
import { messageKey } from '../../../sync/repeatable-writes.ts'
import type { QueuedRow } from '../../../sync/rows.ts'
import { Button } from '../../../ui/button.tsx'
import { toastRefusal } from '../../../ui/toast-refusal.ts'
import { toast } from '../../../ui/toaster.tsx'
import { composerField, focusComposer } from '../composer/composer-field.tsx'
import { type Content, defaultChoices } from '../composer/draft.ts'
import { replaceDraft } from '../composer/drafts.ts'
import { modeName } from '../composer/modes.ts'
import { RegenerateContext, useUnseenNote } from '../message/regenerate-options.ts'
import type { ShownMessage } from '../message/shown-messages.ts'
import { toastIfRefused } from '../message/use-message-actions.ts'
import { QueuedMessage } from './queued-message.tsx'
import { t } from './texts/en.ts'

type Removal = ReturnType<typeof mutators.queue.remove>

type QueueProps = {
  readonly queue: readonly QueuedRow[]
  /** The last message before the queue. */
  readonly head: Exclude<ShownMessage, { readonly kind: 'live' }> | undefined
  readonly busyReason: string | undefined
}

export function Queue({ queue, head, busyReason }: QueueProps) {
  const { models } = useModels()
  const { me } = use(RegenerateContext)
  const act = useAct()
  const sectionRef = useRef<HTMLElement>(null)
  const noteOf = useUnseenNote(head?.id ?? null)
  const nowMs = useServerNow()
  const [first] = queue
  if (!first) return null
  const edit = async (queued: QueuedRow) => {
    // Before the removal leaves: the text must survive a page that closes now.
    replaceDraft(queued.threadId, contentOf(queued, me?.model?.id))
    const field = composerField()
    field?.focus({ preventScroll: true })
    // After the field has the new text.
    requestAnimationFrame(() => field?.setSelectionRange(field.value.length, field.value.length))
    const mutation = mutators.queue.remove({ id: queued.id })
    const outcome = await keep(writeOf(mutation, false), removed(act, mutation))
    if (outcome && !outcome.ok) toast('error', outcome.refusal.code === 'not_found' ? t('leftQueue') : refusalSentence(outcome.refusal))
  }
  const { mode } = first
  const heldMode = first.hold != null && isModeHold(first.hold) && mode && mode !== 'chat' ? mode : null
  const canSendNow = first.hold != null && !isDailyHold(first.hold)
  return (
    <section ref={sectionRef} aria-label={t('queuedMessages')} className="flex flex-col items-end gap-2 pt-1">
      <div className="flex max-w-[85%] flex-wrap items-center justify-end gap-x-3 gap-y-1.5 text-xs text-muted-foreground">
        <p role="status" className="text-right text-pretty">
          {first.hold ? heldText(shownHold(first.hold, head), nowMs) : t('sentAfterAnswer')}
        </p>
        {canSendNow && (
          <Button
            size="sm"
            disabledReason={busyReason}
            onClick={() => {
              focusComposer(sectionRef.current)
              void toastIfRefused(act(mutators.queue.send({ id: first.id, at: serverNowMs() })))
            }}
          >
            {t('sendNow')}
          </Button>
        )}
        {heldMode && (
          <Button
            size="sm"
            onClick={() => {
              focusComposer(sectionRef.current)
              void toastIfRefused(act(mutators.queue.edit({ id: first.id, mode: 'chat', at: serverNowMs() })))
            }}
          >
            {t('sendWithout', { mode: modeName(heldMode) })}
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
          onEdit={() => void edit(queued)}
          onChooseModel={(modelId) => void toastIfRefused(act(mutators.queue.edit({ id: queued.id, modelId, at: serverNowMs() })))}
          onRemove={() => void toastRefusal(removed(act, mutators.queue.remove({ id: queued.id })))}
        />
      ))}
    </section>
  )
}

/** Takes a message out of the queue. A later page must not send it again because its first sending was not confirmed. */
export function removed(act: Act, mutation: Removal): Promise<Outcome> {
  dropWriteOf(messageKey(mutation.args.id))
  return settled(act(mutation))
}

/** A queued message as a draft. `chosenId`: the model of the thread, which needs no choice for one message. */
const contentOf = ({ text, files, mode, modelId, compareWith, origins }: QueuedRow, chosenId: string | undefined): Content => ({
  text,
  files: files ?? [],
  choices: {
    ...defaultChoices,
    mode: mode ?? 'chat',
    modelId: modelId === chosenId ? null : modelId,
    comparedIds: (compareWith ?? []).map((other) => other.modelId),
    origins: origins ?? [],
  },
})

/** A plan or a call that is deleted or on another branch does not hold the queue here. */
export function shownHold(hold: QueueHold, head: QueueProps['head']): ShownHold {
  if (!isDecisionHold(hold)) return hold
  if (!(head?.kind === 'answer' && holdBehind(head.message) === hold)) return 'plan_gone'
  return hold === 'approval_waiting' && asksForInput(head.message.parts) ? 'input_waiting' : hold
}

type ShownHold = QueueHold | 'plan_gone' | 'input_waiting'

export function heldText(hold: ShownHold, nowMs: number): string {
  if (hold === 'plan_gone') return t('planUnavailable')
  if (hold === 'input_waiting') return t('paused', { reason: t('inputWaiting') })
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
    case 'approval_waiting':
      return t('approvalWaiting')
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

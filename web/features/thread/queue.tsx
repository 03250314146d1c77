/** What waits behind the answer being written: the same on every device, and every device can change it. */

import { useRef } from 'react'
import { isDailyHold } from '../../../worker/contract/access.ts'
import { refusals } from '../../../worker/contract/errors.ts'
import type { QueueHold } from '../../../worker/contract/schema.ts'
import { hasKeyboard } from '../../lib/has-keyboard.ts'
import { resetTime } from '../../lib/reset-time.ts'
import { type Action, settled, useActions } from '../../sync/actions.ts'
import { useModels } from '../../sync/hooks.ts'
import type { QueuedRow } from '../../sync/rows.ts'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toaster.tsx'
import { QueuedMessage } from './queued-message.tsx'

type QueueProps = { readonly queue: readonly QueuedRow[]; readonly busyReason: string | undefined }

export function Queue({ queue, busyReason }: QueueProps) {
  const { models } = useModels()
  const actions = useActions()
  const sectionRef = useRef<HTMLElement>(null)
  const [first] = queue
  if (!first) return null
  return (
    <section ref={sectionRef} aria-label="Queued messages" className="flex flex-col items-end gap-2 pt-1">
      <div className="flex max-w-[85%] flex-wrap items-center justify-end gap-x-3 gap-y-1.5 text-xs text-muted-foreground">
        <p role="status" className="text-right text-pretty">
          {first.hold ? heldText(first.hold) : 'Sent when the answer is done'}
        </p>
        {first.hold && !isDailyHold(first.hold) && (
          <Button
            size="sm"
            disabledReason={busyReason}
            onClick={() => {
              focusComposer(sectionRef.current)
              void report(actions.sendQueued(first.id))
            }}
          >
            Send now
          </Button>
        )}
      </div>
      {queue.map((queued, index) => (
        <QueuedMessage
          key={queued.id}
          id={queued.id}
          text={queued.text}
          files={queued.files ?? []}
          modelId={queued.modelId}
          model={models.find(({ id }) => id === queued.modelId)}
          isHeld={first.hold != null}
          onEdit={(text) => void report(actions.editQueued(queued.id, { text }))}
          onChooseModel={(modelId) => void report(actions.editQueued(queued.id, { modelId }))}
          onRemove={() => {
            focusBeside(sectionRef.current, index)
            void report(actions.removeQueued(queued.id))
          }}
        />
      ))}
    </section>
  )
}

/** The button that was pressed goes with its message: the one of its neighbour is next, so that several can be removed in a row. */
function focusBeside(section: Element | null, index: number): void {
  const messages = section?.querySelectorAll('article')
  const neighbour = messages?.[index + 1] ?? messages?.[index - 1]
  const target = neighbour?.querySelector<HTMLElement>('[aria-label="Remove from queue"], textarea')
  if (target) target.focus({ preventScroll: true })
  else focusComposer(section)
}

function focusComposer(section: Element | null): void {
  const target = hasKeyboard() ? document.querySelector('form[aria-label="Composer"] textarea') : section?.closest('[role="log"]')
  if (target instanceof HTMLElement) target.focus({ preventScroll: true })
}

export function heldText(hold: QueueHold, nowMs = Date.now()): string {
  if (!isDailyHold(hold)) return `Queue paused. ${reasonFor(hold)}`
  return `${refusals[hold]}. Sent by itself after the reset at ${resetTime(nowMs)}.`
}

function reasonFor(hold: QueueHold): string {
  switch (hold) {
    case 'stopped':
      return 'You stopped an answer before it.'
    case 'interrupted':
      return 'An answer before it was interrupted.'
    case 'failed':
      return 'An answer before it could not be written.'
    case 'plan_waiting':
      return 'The plan before it waits for you.'
    case 'images_unsupported':
      return 'Its model cannot read images. Choose one that can.'
    case 'documents_unsupported':
      return 'Its model cannot read PDFs. Choose one that can.'
    case 'model_unreachable_now':
      return 'The server of its model cannot be reached right now. Choose another one, or send it later.'
    default:
      return refusals[hold]
  }
}

async function report(action: Action): Promise<void> {
  const outcome = await settled(action)
  if (!outcome.ok) toast('error', outcome.refusal.message)
}

/** Names the user's other devices on which the thread is open, and the question that is being answered. */
import { MonitorSmartphone } from 'lucide-react'
import { cutAt } from '../../../../../worker/contract/text.ts'
import { textOf } from '../../../../../worker/contract/threads/messages.ts'
import { deviceOf } from '../../../../lib/device.ts'
import { formatList } from '../../../../lib/i18n/intl-format.ts'
import { useOpenElsewhere } from '../../../../sync/thread.ts'
import { tooltip } from '../../../../ui/tooltip.tsx'
import type { ShownMessage } from '../../message/shown-messages.ts'
import { t } from '../texts/en.ts'

/** Chosen: the mark stays on one line. */
const maxQuestionChars = 40

export function PresenceMark({
  threadId,
  shownMessages,
  isBusy,
}: {
  readonly threadId: string
  readonly shownMessages: readonly ShownMessage[]
  readonly isBusy: boolean
}) {
  const userAgents = useOpenElsewhere(threadId)
  if (userAgents.length === 0) return null
  const devices = formatList([...new Set(userAgents.map((userAgent) => deviceOf(userAgent).name))])
  const question = isBusy ? questionOf(shownMessages) : ''
  const text = question ? t('answeringOn', { devices, question }) : t('openOn', { devices })
  return (
    <div
      role="status"
      {...tooltip(text)}
      className="flex h-7 min-w-0 items-center gap-1.5 rounded-full border bg-background px-2.5 text-xs text-muted-foreground touch:h-9"
    >
      <MonitorSmartphone aria-hidden="true" className="size-3.5 shrink-0 text-accent" />
      <span className="truncate max-md:sr-only">{text}</span>
    </div>
  )
}

function questionOf(shownMessages: readonly ShownMessage[]): string {
  const question = shownMessages.findLast((shown) => shown.kind === 'user')
  const text = question ? textOf(question.message).replace(/\s+/g, ' ').trim() : ''
  return text.length > maxQuestionChars ? `${cutAt(text, maxQuestionChars)}…` : text
}

/** Announces to screen readers, once, that a streamed answer has ended and how. Visually hidden. */
import { useState } from 'react'
import { isWaitingPlan } from '../../../../worker/contract/research/research.ts'
import { withoutMarks } from '../../../../worker/contract/text.ts'
import type { AnswerMessage } from '../../../../worker/contract/threads/messages.ts'
import { asksForInput, waitsForApproval } from '../../../../worker/contract/tools/approvals.ts'
import { formatList } from '../../../lib/i18n/format-dates.ts'
import { sentenceFor } from '../message/ending-note.tsx'
import { segmentsOf } from '../message/segments.ts'
import type { ShownMessage } from '../message/shown-messages.ts'
import { t } from './texts/en.ts'

const maxSpokenChars = 600

export function FinishedAnswer({ shownMessages }: { readonly shownMessages: readonly ShownMessage[] }) {
  const last = shownMessages.at(-1)
  const [watchedId, setWatchedId] = useState<string | null>(null)
  // Announces only an answer that streamed while the thread was open.
  if (last?.kind === 'live' && last.id !== watchedId) setWatchedId(last.id)
  const finished = last?.kind === 'answer' && last.id === watchedId ? last : null
  return (
    <div role="status" aria-live="polite" className="sr-only">
      {finished && announcementOf(finished.message)}
    </div>
  )
}

/** The ending comes first, because users may stop the speech early. */
export function announcementOf({ parts, metadata }: AnswerMessage): string {
  const isCompleted = metadata.ending === 'completed'
  if (isCompleted && isWaitingPlan(parts)) return t('planReady')
  if (waitsForApproval(parts)) return t(asksForInput(parts) ? 'inputNeeded' : 'approvalNeeded')
  const segments = segmentsOf(parts)
  const text = segments.flatMap((segment) => (segment.kind === 'text' ? [segment.text] : [])).join('\n\n')
  const files = segments.flatMap((segment) => (segment.kind === 'files' ? segment.files.map(({ name }) => name) : []))
  const made = files.length > 0 ? t('madeFiles', { files: formatList(files) }) : ''
  return [isCompleted ? t('answerFinished') : sentenceFor(metadata), made, spoken(withoutMarks(text).trim())].filter(Boolean).join(' ')
}

const spoken = (text: string): string => (text.length > maxSpokenChars ? `${text.slice(0, maxSpokenChars)}…` : text)

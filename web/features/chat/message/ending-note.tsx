/** Shows why an answer did not complete, with the available actions. */
import { type ReactNode, useState } from 'react'
import { creditsFor } from '../../../../worker/contract/access.ts'
import { isRefusalCode } from '../../../../worker/contract/errors.ts'
import { generationMaxMs, unpaidTurnsPerDay } from '../../../../worker/contract/limits.ts'
import { continuationCost } from '../../../../worker/contract/research/research-cost.ts'
import type { AnswerMetadata, RefusedFile, ResearchPayment } from '../../../../worker/contract/threads/messages.ts'
import { creditsText } from '../../../lib/format.ts'
import { formatList } from '../../../lib/i18n/format-dates.ts'
import { formatNumber } from '../../../lib/i18n/intl-format.ts'
import { refusalSentence } from '../../../lib/refusals/sentence.ts'
import type { ModelRow } from '../../../sync/rows.ts'
import { Button } from '../../../ui/button.tsx'
import { Toolbar } from '../../../ui/toolbar.tsx'
import { tooltip } from '../../../ui/tooltip.tsx'
import { t } from './texts/en.ts'

/** Label, price and handler of a button. */
type EndingAction = { readonly label: string; readonly price: string | undefined; readonly onClick: () => void }

type EndingNoteProps = {
  readonly metadata: AnswerMetadata
  /** False when the answer has neither text nor a file. */
  readonly hasAnswer: boolean
  /** The answer has content and is the last message. */
  readonly canResume: boolean
  /** The answer is the last message. A new version of an earlier answer would hide the later messages. */
  readonly isLast: boolean
  readonly disabledReason: string | undefined
  readonly resume: EndingAction
  readonly retry: EndingAction
  /** Selects another model for the retry. */
  readonly otherModel: ReactNode
}

/** Failures after which continuing would fail in the same way. */
const finalCodes: ReadonlySet<string> = new Set([
  'answer_too_long',
  'made_file_too_large',
  'model_filtered',
  'storage_full',
  'storage_held',
])

export function EndingNote(props: EndingNoteProps) {
  const { metadata, hasAnswer, canResume, isLast, disabledReason, resume, retry, otherModel } = props
  const [isDetailShown, setDetailShown] = useState(false)
  const { ending, failure } = metadata
  if (ending === 'completed') return null
  if (!isLast) return <p className="mt-2 truncate text-sm text-muted-foreground">{firstSentence(sentenceFor(metadata))}</p>
  const isFailed = ending === 'failed'
  const canContinue = canResume && !finalCodes.has(failure?.code ?? '')
  const isRetryOffered = offersRetry(metadata, hasAnswer)
  const reason = creditsReason(metadata, hasAnswer)
  const hasDetails = reason !== null || failure !== undefined
  return (
    <div className={`mt-3 mb-1 border-l-2 py-0.5 pl-4 text-sm ${isFailed ? 'border-danger' : 'border-foreground/18'}`}>
      <p className={isFailed ? 'text-foreground' : 'text-muted-foreground'}>{endingText(metadata, hasAnswer)}</p>
      {(canContinue || isRetryOffered || hasDetails) && (
        <Toolbar label={t('endingActions')} className="mt-2 flex flex-wrap gap-1.5 touch:gap-2">
          {canContinue && (
            <Button
              size="sm"
              variant="primary"
              disabledReason={disabledReason}
              {...tooltip(resume.price, { describes: true })}
              onClick={resume.onClick}
            >
              {resume.label}
            </Button>
          )}
          {/* Retry loses what is written, so another model is next to Continue. */}
          {isRetryOffered && canContinue && otherModel}
          {isRetryOffered && (
            <Button
              size="sm"
              variant={canContinue ? 'secondary' : 'primary'}
              disabledReason={disabledReason}
              {...tooltip(retry.price, { describes: true })}
              onClick={retry.onClick}
            >
              {retry.label}
            </Button>
          )}
          {isRetryOffered && !canContinue && otherModel}
          {hasDetails && (
            // When it is the only button, its label aligns with the sentence above.
            <Button
              size="sm"
              variant="ghost"
              className="first:-ml-2.5"
              aria-expanded={isDetailShown}
              onClick={() => setDetailShown(!isDetailShown)}
            >
              {t(isDetailShown ? 'hideDetails' : 'showDetails')}
            </Button>
          )}
        </Toolbar>
      )}
      {isDetailShown && (
        <div ref={bringIntoView} className="mt-2 flex scroll-mb-6 flex-col gap-2 text-muted-foreground">
          {reason && <p>{`${creditsNote(metadata, hasAnswer)} ${reason}`}</p>}
          {failure && (
            <pre className="overflow-x-auto rounded-md bg-muted px-3 py-2 font-mono text-code whitespace-pre-wrap">
              {[`code: ${failure.code}`, `model: ${metadata.modelId}`].join('\n')}
            </pre>
          )}
        </div>
      )}
    </div>
  )
}

/** A stopped answer with content offers Continue alone. */
export const offersRetry = ({ ending }: AnswerMetadata, hasAnswer: boolean): boolean =>
  ending !== 'completed' && (ending !== 'stopped' || !hasAnswer)

/** Without this, the details of the last answer would open below the view, under the composer. */
const bringIntoView = (element: HTMLElement | null): void => element?.scrollIntoView({ block: 'nearest' })

/** Empty for a completed answer. */
export function sentenceFor({ ending, failure, modelName }: AnswerMetadata): string {
  switch (ending) {
    case 'completed':
      return ''
    case 'stopped':
      return t('stopped')
    case 'interrupted':
      return (failure && failureSentence(failure, modelName)) ?? t('interrupted')
    case 'failed':
      return (failure && failureSentence(failure, modelName)) ?? t('failed')
  }
}

/** The credits of an incomplete answer. Empty for a stopped answer that has content or was free. */
export const creditsNote = ({ ending, credits }: AnswerMetadata, hasAnswer: boolean): string =>
  ending === 'stopped' && (hasAnswer || credits === 0) ? '' : t('creditsUsed', { credits })

/** Why an incomplete answer used credits. Null if it used none, or was stopped with content. */
export function creditsReason({ ending, credits }: AnswerMetadata, hasAnswer: boolean): string | null {
  if (credits === 0 || (ending === 'stopped' && hasAnswer)) return null
  if (ending === 'stopped') return t('usedStopped')
  return hasAnswer ? t('usedPart') : t('usedFailures', { limit: unpaidTurnsPerDay })
}

/** Why an answer did not complete, what the user can do, and what it used. Empty for a completed answer. */
export const endingText = (metadata: AnswerMetadata, hasAnswer: boolean): string =>
  metadata.ending === 'completed' ? '' : [sentenceFor(metadata), creditsNote(metadata, hasAnswer)].filter(Boolean).join(' ')

/** The first sentence of a failure text, without the advice after it. */
export const firstSentence = (text: string): string => text.replace(/(?<=\.)\s.*/s, '')

/** True if the answer has text or a file. */
export const hasContent = (parts: readonly { readonly type: string }[]): boolean =>
  parts.some(({ type }) => type === 'text' || type === 'file')

/** The sentence about a fallback model, in an answer and in its details. Null if the chosen model answered. */
export function fallbackNote({ modelName, answeredBy }: AnswerMetadata): string | null {
  if (!answeredBy) return null
  const key = answeredBy.includes(modelName) ? 'fallbackPartly' : 'fallbackSilent'
  return t(key, { models: formatList(answeredBy), model: modelName })
}

/** The sentence about files that this answer was requested without. Null if there are none. */
export const omittedNote = ({ omittedFiles = [] }: AnswerMetadata): string | null =>
  omittedFiles.length === 0 ? null : t('omittedFiles', { names: refusedNames(omittedFiles) })

/** The price label for continuing an incomplete research. */
export function continuePrice(paid: ResearchPayment | undefined, model: Pick<ModelRow, 'credits'>): string {
  const { credits, researches } = continuationCost(paid, creditsFor(model))
  if (researches > 0) return t('creditsAndResearch', { credits: creditsText(credits), researches })
  return credits > 0 ? t('creditsMore', { credits: creditsText(credits) }) : t('alreadyPaid')
}

/* The sentence of a failed or interrupted answer, chosen by its code. */

type Failure = NonNullable<AnswerMetadata['failure']>

/** Null for a code of a newer server version. */
export function failureSentence({ code, retryInMs, files = [] }: Failure, model: string): string | null {
  if (isRefusalCode(code)) return refusalSentence({ code })
  switch (code) {
    case 'model_busy':
      return retryInMs === undefined ? t('model_busy', { model }) : t('model_busy_for', { model, duration: durationText(retryInMs) })
    case 'answer_too_slow':
      return t('answer_too_slow', { minutes: generationMaxMs / 60_000 })
    case 'file_refused':
      return t('file_refused', { count: files.length, names: refusedNames(files) })
    case 'model_error':
    case 'model_unreachable':
    case 'model_silent':
    case 'model_nonsense':
    case 'model_length':
    case 'model_empty':
      return t(code, { model })
    case 'model_refused_key':
    case 'model_out_of_funds':
    case 'model_no_stream':
    case 'conversation_too_long':
    case 'model_filtered':
    case 'credits_spent':
    case 'search_failed':
    case 'answer_too_long':
    case 'made_file_too_large':
    case 'made_file_not_kept':
      return t(code)
    default:
      return null
  }
}

/** A file that a model made has no name. */
const refusedNames = (files: readonly RefusedFile[]): string => formatList(files.map(({ name }) => name || t('madePicture')))

/** Rounded up, so that the model is free at that time. */
function durationText(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  if (seconds < 60) return unitText(seconds <= 10 ? seconds : Math.ceil(seconds / 10) * 10, 'second')
  const minutes = Math.ceil(seconds / 60)
  if (minutes < 100) return unitText(minutes, 'minute')
  const hours = Math.ceil(minutes / 60)
  return hours < 48 ? unitText(hours, 'hour') : unitText(Math.ceil(hours / 24), 'day')
}

const unitText = (count: number, unit: 'second' | 'minute' | 'hour' | 'day'): string =>
  formatNumber(count, { style: 'unit', unit, unitDisplay: 'long' })

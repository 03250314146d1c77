/**
 * An answer, streaming or stored. One component renders both, so that the stored answer replaces the live one without unmounting: blocks,
 * open disclosures and the selection stay.
 */

import { type AnswerMetadata, textOf } from '../../../../worker/contract/messages.ts'
import { isCompleted, isWaitingPlan, planOf } from '../../../../worker/contract/research.ts'
import { firstPaintText } from '../../../lib/i18n/first-paint-text.ts'
import { SectionErrorBoundary } from '../../../ui/section-error-boundary.tsx'
import { CompletedPlan, ResearchPlan } from '../research/research-plan.tsx'
import { useLiveAnswer } from '../stream/live-answers.ts'
import { AnswerParts } from './answer-parts.tsx'
import { continuePrice, EndingNote, fallbackNote, offersRetry } from './ending-note.tsx'
import { AnswerActions, OtherModelMenu } from './message-actions.tsx'
import { useRegenerateOptions } from './regenerate-context.ts'
import type { RegenerateOptions } from './regenerate-options.ts'
import { segmentsOf } from './segments.ts'
import { SourcesList } from './sources-list.tsx'
import { t } from './texts/en.ts'
import type { AnswerTurn, Turn } from './turns.ts'
import type { TurnActions } from './use-turn-actions.ts'
import { Waiting } from './waiting.tsx'

type AnswerViewProps = {
  readonly threadId: string
  readonly turn: AnswerTurn
  readonly actions: TurnActions
  readonly busyReason: string | undefined
  readonly isLast: boolean
}

export function AnswerView(props: AnswerViewProps) {
  const { threadId, turn, actions, busyReason, isLast } = props
  const isLive = turn.kind === 'live'
  return (
    <article aria-label={firstPaintText('answer')} aria-busy={isLive}>
      <AnswerContent {...props} />
      {isLive ? (
        <div className="mt-1.5 flex h-7 items-center text-xs text-muted-foreground touch:h-11">{turn.isStopping && t('stopping')}</div>
      ) : (
        <SectionErrorBoundary part="toolbar">
          <AnswerActions
            threadId={threadId}
            turn={turn}
            actions={actions}
            busyReason={busyReason}
            isNewest={isLast}
            isRetryOffered={isLast && offersRetry(turn.message.metadata, hasContent(turn.message.parts))}
          />
        </SectionErrorBoundary>
      )}
    </article>
  )
}

/** The answer without its toolbar. `isCompared`: only the same model can try again. */
export function AnswerContent({
  threadId,
  turn,
  actions,
  busyReason,
  isLast,
  isCompared = false,
}: AnswerViewProps & { readonly isCompared?: boolean }) {
  const isLive = turn.kind === 'live'
  const live = useLiveAnswer(threadId, isLive ? turn.id : null)
  const parts = isLive ? live.parts : turn.message.parts
  const plan = isLive ? null : planOf(parts)
  const isWaiting = plan !== null && isWaitingPlan(parts)
  const isCompletedPlan = isWaiting && !isLive && isCompleted(plan, turn.id, turn.versions.ids)
  return (
    <>
      <div className="flex min-w-0 flex-col gap-3">
        {plan && isCompletedPlan ? (
          <CompletedPlan plan={plan} />
        ) : plan && isWaiting && isLast ? (
          <ResearchPlan threadId={threadId} messageId={turn.id} plan={plan} busyReason={busyReason} />
        ) : (
          <AnswerParts messageId={turn.id} parts={parts} isGrowing={isLive && !live.isEnded} />
        )}
        {isLive && segmentsOf(parts).length === 0 && <Waiting threadId={threadId} answerId={turn.id} questionId={turn.parentId} />}
      </div>
      {!isLive && (
        <>
          <SectionErrorBoundary part="messagePart">
            <SourcesList parts={parts} />
          </SectionErrorBoundary>
          {turn.message.metadata.ending !== 'completed' && (
            <SectionErrorBoundary part="messagePart">
              <Unfinished turn={turn} actions={actions} busyReason={busyReason} isLast={isLast} isCompared={isCompared} />
            </SectionErrorBoundary>
          )}
          <FallbackNote metadata={turn.message.metadata} />
        </>
      )}
    </>
  )
}

function FallbackNote({ metadata }: { readonly metadata: AnswerMetadata }) {
  const note = fallbackNote(metadata)
  return note && <p className="mt-3 text-xs text-muted-foreground">{note}</p>
}

type UnfinishedProps = Omit<AnswerViewProps, 'turn' | 'threadId'> & {
  readonly turn: Extract<Turn, { kind: 'answer' }>
  readonly isCompared: boolean
}

function Unfinished({ turn, actions, busyReason, isLast, isCompared }: UnfinishedProps) {
  const { parts, metadata } = turn.message
  // A failed research continues from its stored findings.
  const isResearch = planOf(parts) !== null && !isWaitingPlan(parts)
  const resume = useRegenerateOptions(turn.message, { isContinued: true })
  const retry = useRegenerateOptions(turn.message)
  const priceOf = ({ price }: RegenerateOptions) => {
    // Retry continues a research as well.
    if (isResearch) return resume.model ? continuePrice(metadata.paid, resume.model) : undefined
    // Creating a failed plan again is free.
    return metadata.mode === 'research' ? undefined : price
  }
  return (
    <EndingNote
      metadata={metadata}
      hasAnswer={hasContent(parts)}
      canResume={isLast && (isResearch || textOf(turn.message) !== '')}
      isLast={isLast}
      disabledReason={busyReason}
      resume={{ label: resume.named('continue'), price: priceOf(resume), onClick: () => actions.resume(turn, resume) }}
      retry={{
        label: retry.named('retry'),
        price: priceOf(retry),
        onClick: () => (isResearch ? actions.resume(turn, resume) : actions.regenerate(turn, retry)),
      }}
      otherModel={
        !isCompared && <OtherModelMenu isLabelShown label={t('tryOtherModel')} turn={turn} actions={actions} busyReason={busyReason} />
      }
    />
  )
}

const hasContent = (parts: readonly { readonly type: string }[]): boolean => parts.some(({ type }) => type === 'text' || type === 'file')

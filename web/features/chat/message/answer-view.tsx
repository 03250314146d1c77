/**
 * An answer, streaming or stored. One component renders both, so that the stored answer replaces the live one without unmounting: blocks,
 * open disclosures and the selection stay.
 */
import { useMemo } from 'react'
import { isCompleted } from '../../../../worker/contract/research/plan-state.ts'
import { isWaitingPlan, researchPlanOf } from '../../../../worker/contract/research/research.ts'
import { type AnswerMetadata, type MessagePart, textOf } from '../../../../worker/contract/threads/messages.ts'
import { firstPaintText } from '../../../lib/i18n/first-paint-text.ts'
import { openOverlay } from '../../../lib/overlays.ts'
import { SectionErrorBoundary } from '../../../ui/section-error-boundary.tsx'
import { ApprovalPlaceContext } from '../approvals/approval-place.ts'
import { CompletedPlan, ResearchPlan } from '../research/research-plan.tsx'
import { useLiveAnswer } from '../stream/live-answers.ts'
import { AnswerParts } from './answer-parts.tsx'
import { continuePrice, EndingNote, fallbackNote, hasContent, offersRetry, omittedNote } from './ending-note.tsx'
import { AnswerActions, belowAnswer, OtherModelMenu } from './message-actions.tsx'
import type { RegenerateOptions } from './regenerate-options.ts'
import { useRegenerateOptions } from './regenerate-options.ts'
import { segmentsOf } from './segments.ts'
import type { ShownAnswer, ShownMessage } from './shown-messages.ts'
import { SourcesList } from './sources-list.tsx'
import { t } from './texts/en.ts'
import type { MessageActions } from './use-message-actions.ts'
import { Waiting } from './waiting.tsx'

type AnswerViewProps = {
  readonly threadId: string
  readonly shown: ShownAnswer
  readonly actions: MessageActions
  readonly busyReason: string | undefined
  readonly isLast: boolean
}

export function AnswerView(props: AnswerViewProps) {
  const { threadId, shown, actions, busyReason, isLast } = props
  const isLive = shown.kind === 'live'
  return (
    <article aria-label={firstPaintText('answer')} aria-busy={isLive}>
      <AnswerContent {...props} />
      {isLive ? (
        shown.isStopping && <div className={`${belowAnswer} flex items-center text-xs text-muted-foreground`}>{t('stopping')}</div>
      ) : (
        <SectionErrorBoundary part="toolbar">
          <AnswerActions
            threadId={threadId}
            shown={shown}
            actions={actions}
            busyReason={busyReason}
            isNewest={isLast}
            isRetryOffered={isLast && offersRetry(shown.message.metadata, hasContent(shown.message.parts))}
          />
        </SectionErrorBoundary>
      )}
    </article>
  )
}

/** The answer without its toolbar. `isCompared`: only the same model can try again. */
export function AnswerContent({
  threadId,
  shown,
  actions,
  busyReason,
  isLast,
  isCompared = false,
}: AnswerViewProps & { readonly isCompared?: boolean }) {
  const isLive = shown.kind === 'live'
  const live = useLiveAnswer(threadId, isLive ? shown.id : null)
  const parts = isLive ? live.parts : shown.message.parts
  const plan = isLive ? null : researchPlanOf(parts)
  const isWaiting = plan !== null && isWaitingPlan(parts)
  const place = useMemo(() => ({ threadId, isLast: isLast || isCompared, busyReason }), [threadId, isLast, isCompared, busyReason])
  const isCompletedPlan = isWaiting && !isLive && isCompleted(plan, shown.id, shown.versions.ids)
  return (
    <>
      <div className="flex min-w-0 flex-col gap-3">
        {plan && isCompletedPlan ? (
          <CompletedPlan plan={plan} />
        ) : plan && isWaiting && isLast ? (
          <ResearchPlan threadId={threadId} messageId={shown.id} plan={plan} busyReason={busyReason} />
        ) : (
          <ApprovalPlaceContext value={place}>
            <AnswerParts messageId={shown.id} parts={parts} isGrowing={isLive && !live.isEnded} />
          </ApprovalPlaceContext>
        )}
        {isLive && segmentsOf(parts).length === 0 && <Waiting threadId={threadId} answerId={shown.id} questionId={shown.parentId} />}
      </div>
      {!isLive && (
        <>
          <SectionErrorBoundary part="messagePart">
            <SourcesList parts={parts} />
          </SectionErrorBoundary>
          {shown.message.metadata.ending !== 'completed' && (
            <SectionErrorBoundary part="messagePart">
              <Unfinished shown={shown} actions={actions} busyReason={busyReason} isLast={isLast} isCompared={isCompared} />
            </SectionErrorBoundary>
          )}
          <AnswerNotes metadata={shown.message.metadata} />
          <MemoriesNote metadata={shown.message.metadata} />
        </>
      )}
    </>
  )
}

/** Opens the list of the facts that the answer was given. */
function MemoriesNote({ metadata: { memories = [] } }: { readonly metadata: AnswerMetadata }) {
  if (memories.length === 0) return null
  return (
    <button
      type="button"
      className="mt-3 block touch-target text-xs text-muted-foreground underline underline-offset-2 hover:text-foreground print:hidden"
      onClick={() => openOverlay({ memories })}
    >
      {t('usedMemories', { count: memories.length })}
    </button>
  )
}

/** How the answer differs from what the user asked for: another model, or without a file or older messages. */
function AnswerNotes({ metadata }: { readonly metadata: AnswerMetadata }) {
  const notes = [metadata.isHistoryCut ? t('historyCut') : null, omittedNote(metadata), fallbackNote(metadata)].filter(
    (note) => note !== null,
  )
  return notes.map((note) => (
    <p key={note} className="mt-3 text-xs text-muted-foreground wrap-anywhere">
      {note}
    </p>
  ))
}

/** An answer with such a call is continued, because a new version would ask for the call again. */
const wasAllowed = (part: MessagePart): boolean =>
  'toolCallId' in part && (part.approval?.approved === true || part.approval?.isInput === true)

type UnfinishedProps = Omit<AnswerViewProps, 'shown' | 'threadId'> & {
  readonly shown: Extract<ShownMessage, { kind: 'answer' }>
  readonly isCompared: boolean
}

function Unfinished({ shown, actions, busyReason, isLast, isCompared }: UnfinishedProps) {
  const { parts, metadata } = shown.message
  // A failed research continues from its stored findings.
  const isResearch = researchPlanOf(parts) !== null && !isWaitingPlan(parts)
  const resume = useRegenerateOptions(shown.message, { isContinued: true })
  const retry = useRegenerateOptions(shown.message)
  // The server leaves them out of requests to this model.
  const refused = metadata.failure?.files
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
      canResume={isLast && (isResearch || textOf(shown.message) !== '' || parts.some(wasAllowed))}
      isLast={isLast}
      disabledReason={busyReason}
      resume={{ label: resume.named('continue'), price: priceOf(resume), onClick: () => actions.resume(shown, resume) }}
      retry={{
        label: refused && retry.modelId === metadata.modelId ? t('retryWithoutFiles', { count: refused.length }) : retry.named('retry'),
        price: priceOf(retry),
        onClick: () => (isResearch ? actions.resume(shown, resume) : actions.regenerate(shown, retry)),
      }}
      otherModel={
        !isCompared && <OtherModelMenu isLabelShown label={t('tryOtherModel')} shown={shown} actions={actions} busyReason={busyReason} />
      }
    />
  )
}

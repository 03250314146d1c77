/** One message of the conversation, inside an error boundary. */
import { memo } from 'react'
import { textOf } from '../../../../worker/contract/messages.ts'
import { unreadableParts } from '../../../sync/readable-message.ts'
import { SectionErrorBoundary } from '../../../ui/section-error-boundary.tsx'
import { AnswerView } from './answer-view.tsx'
import { busyText, type Turn } from './turns.ts'
import type { TurnActions } from './use-turn-actions.ts'
import { UserMessageView } from './user-message-view.tsx'

type TurnViewProps = {
  readonly threadId: string
  readonly turn: Turn
  readonly actions: TurnActions
  readonly isBusy: boolean
  /** The composer is editing this message. */
  readonly isEdited: boolean
  readonly isLast: boolean
}

export const TurnView = memo(
  function TurnView({ threadId, turn, actions, isBusy, isEdited, isLast }: TurnViewProps) {
    const busyReason = isBusy ? busyText() : undefined
    const unreadable = turn.kind === 'live' ? [] : unreadableParts(turn.message)
    return (
      <>
        <SectionErrorBoundary part="message" resetKey={turn.kind}>
          {turn.kind === 'user' ? (
            <UserMessageView
              text={textOf(turn.message)}
              turn={turn}
              actions={actions}
              busyReason={busyReason}
              isEdited={isEdited}
              isLast={isLast}
            />
          ) : (
            <AnswerView threadId={threadId} turn={turn} actions={actions} busyReason={busyReason} isLast={isLast} />
          )}
        </SectionErrorBoundary>
        {unreadable.length > 0 && (
          <SectionErrorBoundary part="messagePart">
            <Unreadable parts={unreadable} />
          </SectionErrorBoundary>
        )}
      </>
    )
  },
  (before, after) =>
    before.isBusy === after.isBusy &&
    before.isEdited === after.isEdited &&
    before.isLast === after.isLast &&
    before.actions === after.actions &&
    isSameTurn(before.turn, after.turn),
)

function Unreadable({ parts }: { readonly parts: readonly unknown[] }): never {
  throw new Error(`These parts are stored in an unknown form: ${JSON.stringify(parts, null, 2)}`)
}

/** Every row change creates new turns, but the messages keep their identity. */
function isSameTurn(before: Turn, after: Turn): boolean {
  if (before.id !== after.id || before.parentId !== after.parentId) return false
  if (before.kind === 'live') return after.kind === 'live' && before.isStopping === after.isStopping
  if (after.kind === 'live' || before.message !== after.message || before.hasMoreBelow !== after.hasMoreBelow) return false
  if (before.isBookmarked !== after.isBookmarked) return false
  return before.versions.at === after.versions.at && before.versions.ids.join() === after.versions.ids.join()
}

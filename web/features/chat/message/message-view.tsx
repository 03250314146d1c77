/** One message of the conversation, inside an error boundary. */
import { memo } from 'react'
import { textOf } from '../../../../worker/contract/threads/messages.ts'
import { unreadableParts } from '../../../sync/readable-message.ts'
import { SectionErrorBoundary } from '../../../ui/section-error-boundary.tsx'
import { AnswerView } from './answer-view.tsx'
import { busyText, type ShownMessage } from './shown-messages.ts'
import type { MessageActions } from './use-message-actions.ts'
import { UserMessageView } from './user-message-view.tsx'

type MessageViewProps = {
  readonly threadId: string
  readonly shown: ShownMessage
  readonly actions: MessageActions
  readonly isBusy: boolean
  /** The composer is editing this message. */
  readonly isEdited: boolean
  readonly isLast: boolean
}

export const MessageView = memo(
  function MessageView({ threadId, shown, actions, isBusy, isEdited, isLast }: MessageViewProps) {
    const busyReason = isBusy ? busyText() : undefined
    const unreadable = shown.kind === 'live' ? [] : unreadableParts(shown.message)
    return (
      <>
        <SectionErrorBoundary part="message" isGrowing={shown.kind === 'live'}>
          {shown.kind === 'user' ? (
            <UserMessageView
              text={textOf(shown.message)}
              shown={shown}
              actions={actions}
              busyReason={busyReason}
              isEdited={isEdited}
              isLast={isLast}
            />
          ) : (
            <AnswerView threadId={threadId} shown={shown} actions={actions} busyReason={busyReason} isLast={isLast} />
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
    isSameMessage(before.shown, after.shown),
)

function Unreadable({ parts }: { readonly parts: readonly unknown[] }): never {
  throw new Error(`These parts are stored in an unknown form: ${JSON.stringify(parts, null, 2)}`)
}

/** Every row change creates new objects of `ShownMessage`, but their `message` keeps its identity. */
function isSameMessage(before: ShownMessage, after: ShownMessage): boolean {
  if (before.id !== after.id || before.parentId !== after.parentId) return false
  if (before.kind === 'live') return after.kind === 'live' && before.isStopping === after.isStopping
  if (after.kind === 'live' || before.message !== after.message || before.hasMoreBelow !== after.hasMoreBelow) return false
  if (before.isBookmarked !== after.isBookmarked) return false
  return before.versions.at === after.versions.at && before.versions.ids.join() === after.versions.ids.join()
}

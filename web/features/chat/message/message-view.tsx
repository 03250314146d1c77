/** One message of the conversation, inside an error boundary. */
import { memo, type ReactNode, useState } from 'react'
import { filesOf } from '../../../../worker/contract/files/files.ts'
import { isFoldedMessage } from '../../../../worker/contract/threads/folded-message.ts'
import { textOf } from '../../../../worker/contract/threads/messages.ts'
import { cx } from '../../../lib/cx.ts'
import { firstPaintText } from '../../../lib/i18n/first-paint-text.ts'
import { currentFindMessageId, showMessageRequest } from '../../../lib/navigation.ts'
import { useStored } from '../../../lib/store.ts'
import { touchDevice, useMedia } from '../../../lib/viewport.ts'
import { unreadableParts } from '../../../sync/readable-message.ts'
import { Button } from '../../../ui/button.tsx'
import { RetryingErrorBoundary } from '../../../ui/retrying-error-boundary.tsx'
import { SectionErrorBoundary } from '../../../ui/section-error-boundary.tsx'
import { EditPlace } from '../composer/edit-place.tsx'
import { AnswerView } from './answer-view.tsx'
import { longPress } from './long-press.ts'
import { UserActions } from './message-actions.tsx'
import { MessageFiles } from './message-files.tsx'
import { busyText, type ShownMessage } from './shown-messages.ts'
import { t } from './texts/en.ts'
import type { MessageActions } from './use-message-actions.ts'
import { WaitsForConnection } from './waiting.tsx'

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
        <RetryingErrorBoundary part="message" isGrowing={shown.kind === 'live'}>
          {shown.kind === 'user' ? (
            <EditedPlace messageId={isEdited ? shown.id : null}>
              <UserMessageView
                text={textOf(shown.message)}
                shown={shown}
                actions={actions}
                busyReason={busyReason}
                isEdited={isEdited}
                isLast={isLast}
              />
            </EditedPlace>
          ) : (
            <AnswerView threadId={threadId} shown={shown} actions={actions} busyReason={busyReason} isLast={isLast} />
          )}
        </RetryingErrorBoundary>
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

/** The message, or the form that edits it. */
const EditedPlace = ({ messageId, children }: { readonly messageId: string | null; readonly children: ReactNode }) =>
  messageId === null ? children : <EditPlace messageId={messageId}>{children}</EditPlace>

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

/* A message of the user as typed. Long messages are folded. */

type UserMessageViewProps = {
  readonly text: string
  readonly shown: Extract<ShownMessage, { kind: 'user' }>
  readonly actions: MessageActions
  readonly busyReason: string | undefined
  readonly isEdited: boolean
  readonly isLast: boolean
}

function UserMessageView({ text, shown, actions, busyReason, isEdited, isLast }: UserMessageViewProps) {
  const isTouch = useMedia(touchDevice)
  const [isUnfolded, setUnfolded] = useState(false)
  const found = useStored(showMessageRequest, (request) => (request?.messageId === shown.id ? request : null))
  const sought = useStored(currentFindMessageId, (id) => id === shown.id)
  const hit = found ?? sought
  const [lastHit, setLastHit] = useState<typeof hit>(false)
  // The words may be below the fold.
  if (hit !== lastHit) {
    setLastHit(hit)
    if (hit) setUnfolded(true)
  }
  const isLong = isFoldedMessage(text)
  const isFolded = isLong && !isUnfolded
  const files = filesOf(shown.message)
  const hasBubble = text !== '' || files.length === 0
  const mark = isEdited && 'outline-2 outline-offset-2 outline-accent'
  return (
    <article
      aria-label={firstPaintText('yourMessage')}
      className="flex flex-col items-end touch:select-none touch:[-webkit-touch-callout:none]"
      {...(isTouch && longPress)}
    >
      {isEdited && <span className="sr-only select-none">{t('beingEdited')}</span>}
      <SectionErrorBoundary part="files">
        {files.length > 0 && <MessageFiles files={files} className={cx(!hasBubble && mark)} />}
      </SectionErrorBoundary>
      <SectionErrorBoundary part="messagePart">
        {hasBubble && (
          <div className={cx('max-w-[85%] min-w-0 rounded-2xl bg-muted px-4 py-2.5', mark)}>
            <p
              data-message-text=""
              dir="auto"
              className={`text-base leading-6 wrap-anywhere whitespace-pre-wrap [unicode-bidi:plaintext] ${isFolded ? 'max-h-96 overflow-hidden mask-b-from-80%' : ''}`}
            >
              {text}
            </p>
            {isLong && (
              <Button
                variant="ghost"
                size="sm"
                className="mt-1 -ml-2.5"
                aria-expanded={isUnfolded}
                onClick={() => setUnfolded(!isUnfolded)}
              >
                {t(isUnfolded ? 'showLess' : 'showAll')}
              </Button>
            )}
          </div>
        )}
      </SectionErrorBoundary>
      {/* Centered in the gap, which is lower than the buttons. */}
      <div className="absolute top-[calc(100%-var(--gap))] right-0 flex h-5 max-w-full items-center justify-end gap-x-2">
        <SectionErrorBoundary part="toolbar">
          <UserActions shown={shown} actions={actions} busyReason={busyReason} isLast={isLast} />
          <WaitsForConnection messageId={shown.id} />
        </SectionErrorBoundary>
      </div>
    </article>
  )
}

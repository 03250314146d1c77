/** The thread as a log: its messages, the scroll view and one announcement for each finished answer. */
import { useLocation } from '@tanstack/react-router'
import { ArrowDown } from 'lucide-react'
import { type ComponentProps, useEffect, useState } from 'react'
import { isBusy as isThreadBusy } from '../../../../worker/contract/threads/thread-status.ts'
import { createId } from '../../../lib/create-id.ts'
import { cx } from '../../../lib/cx.ts'
import { lazyPart } from '../../../lib/lazy-part.ts'
import { findRequest } from '../../../lib/navigation.ts'
import { type Store, useStore, useStored } from '../../../lib/store.ts'
import { useLatest } from '../../../lib/use-stable.ts'
import type { ThreadWithMessages } from '../../../sync/rows.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { SectionErrorBoundary } from '../../../ui/section-error-boundary.tsx'
import { draftOf } from '../composer/drafts.ts'
import { MessageView } from '../message/message-view.tsx'
import { busyText, type ShownAnswer, type ShownMessage } from '../message/shown-messages.ts'
import type { MessageActions } from '../message/use-message-actions.ts'
import { Queue } from '../queue/queue.tsx'
import type { ContextStart } from './context-start.ts'
import { FinishedAnswer } from './finished-answer.tsx'
import { FoundMessageView } from './found-message.tsx'
import { t } from './texts/en.ts'
import { useConversationView } from './use-conversation-view.ts'

const ContextMark = lazyPart(() => import('./context-mark.tsx').then((module) => module.ContextMark))
const FindBar = lazyPart(() => import('./find-bar.tsx').then((module) => module.FindBar))
const Comparison = lazyPart(() => import('../message/comparison.tsx').then((module) => module.Comparison))
const QuoteButton = lazyPart(() => import('./quote-button.tsx').then((module) => module.QuoteButton))

type ConversationProps = {
  readonly threadId: string
  readonly shownMessages: readonly ShownMessage[]
  /** Its messages include all branches. */
  readonly thread: ThreadWithMessages
  /** Shown in the place of the last message. */
  readonly compared: readonly ShownAnswer[] | null
  readonly isComplete: boolean
  readonly hasOlder: boolean
  readonly loadOlder: (() => void) | undefined
  /** Null while the whole thread is sent to the model. */
  readonly start: ContextStart | null
  readonly actions: MessageActions
}

/** Approximate space above the first message. */
const topOffsetPx = 88

export function Conversation(props: ConversationProps) {
  const { threadId, shownMessages, thread, compared, isComplete, hasOlder, loadOlder, start, actions } = props
  const { messages, queue } = thread
  const isBusy = isThreadBusy(thread)
  // While the route changes, the location already belongs to the next page.
  const entry = useLocation({ select: ({ pathname, state }) => (pathname === `/${threadId}` ? state.__TSR_key : undefined) })
  const editedId = useStored(draftOf(threadId), ({ editing }) => editing?.messageId)
  const [scrollerId] = useState(createId)
  const view = useConversationView({ threadId, entry, shownMessages, isComplete, loadOlder })
  const { scrollerRef, span, messageRef, onScroll, awayFromEnd, scrollToEnd, scrollToTarget } = view
  const latestMessages = useLatest(messages)
  const messageActions = {
    ...actions,
    show: async (messageId: string) => {
      const isCut = !latestMessages.current.some(({ parentId }) => parentId === messageId)
      const isShown = await actions.show(messageId)
      // The other messages of this branch are outside of the loaded window; without this, the view would show the end of the window.
      if (isShown && isCut) scrollToTarget({ id: messageId, offsetPx: topOffsetPx })
      return isShown
    },
  }
  const last = shownMessages.at(-1)
  const isComparing = compared !== null && span.end === shownMessages.length
  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      <div
        ref={scrollerRef}
        role="log"
        aria-label={t('conversation')}
        // The router would restore the scroll position in pixels. An id that never repeats prevents this.
        data-scroll-restoration-id={scrollerId}
        // Chunks arrive many times a second; `FinishedAnswer` announces the finished answer instead.
        aria-live="off"
        aria-busy={isBusy}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable to be scrolled with keys
        tabIndex={0}
        onScroll={onScroll}
        className="min-h-0 flex-1 overflow-x-hidden overflow-y-auto overscroll-contain scroll-pt-(--header-height) scroll-pb-2 [--sticky-top:var(--header-height)] [overflow-anchor:none] [scrollbar-gutter:stable_both-edges] focus-visible:-outline-offset-2"
      >
        {/* Above the messages, so that a growing answer does not move the button. */}
        <div className="relative">
          <SectionErrorBoundary part="quoteButton" isOverlay>
            <Quoting threadId={threadId} />
          </SectionErrorBoundary>
        </div>
        <div
          // Space for the header and, on wide windows, for a toast of two lines, so that neither covers the start of the thread.
          className="mx-auto w-full max-w-reading px-4 [--head-room:calc(var(--header-height)+1.25rem)] md:px-6 md:[--head-room:calc(var(--header-height)+2.5rem)]"
          style={{ paddingTop: `calc(${span.beforePx}px + var(--head-room))`, paddingBottom: span.afterPx }}
        >
          {shownMessages.slice(span.first, isComparing ? -1 : span.end).map((shown, index) => (
            <div
              key={shown.id}
              ref={messageRef(shown.id)}
              data-message={shown.id}
              // The gap groups a question with its answer, and the toolbar of the message lies in it.
              className={`group/message relative pb-(--gap) ${isAnswerAfter(shownMessages, span.first + index) ? '[--gap:1.25rem]' : '[--gap:3rem]'}`}
            >
              {start?.messageId === shown.id && <ContextMark start={start} />}
              <MessageView
                threadId={threadId}
                shown={shown}
                actions={messageActions}
                isBusy={isBusy}
                isEdited={shown.id === editedId}
                isLast={span.first + index === shownMessages.length - 1}
              />
            </div>
          ))}
        </div>
        {isComparing && last && (
          <div ref={messageRef(last.id)} data-message={last.id} data-wide="" className="mx-auto w-full max-w-7xl px-4 pb-6 md:px-6">
            <Comparison
              threadId={threadId}
              thread={thread}
              answers={compared}
              actions={messageActions}
              busyReason={isBusy ? busyText() : undefined}
            />
          </div>
        )}
        <div className="mx-auto w-full max-w-reading px-4 pb-5 md:px-6">
          <SectionErrorBoundary part="queue">
            <Queue
              queue={queue}
              head={shownMessages.findLast((shown) => shown.kind !== 'live')}
              busyReason={isBusy ? busyText() : undefined}
            />
          </SectionErrorBoundary>
        </div>
      </div>
      <div
        aria-hidden="true"
        className="pointer-events-none absolute inset-x-4 bottom-0 h-5 bg-linear-to-t from-background in-[main:has([data-temporary])]:from-temporary"
      />
      <ScrollToEndButton
        isStreaming={isBusy}
        awayFromEnd={awayFromEnd}
        onGo={() => {
          scrollToEnd()
          scrollerRef.current?.focus({ preventScroll: true })
        }}
      />
      <SectionErrorBoundary part="find" isOverlay>
        <Find
          threadId={threadId}
          shownMessages={shownMessages}
          compared={compared}
          loadOlder={loadOlder}
          scrollerRef={scrollerRef}
          scrollToTarget={scrollToTarget}
        />
      </SectionErrorBoundary>
      <SectionErrorBoundary part="answerEnd" isOverlay>
        {/* A comparison announces each of its answers. */}
        {!compared && <FinishedAnswer shownMessages={shownMessages} />}
      </SectionErrorBoundary>
      <SectionErrorBoundary part="foundMessage" isOverlay>
        <FoundMessageView
          threadId={threadId}
          shownMessages={shownMessages}
          messages={messages}
          isComplete={isComplete}
          hasOlder={hasOlder}
          loadOlder={loadOlder}
          scrollerRef={scrollerRef}
          scrollToTarget={scrollToTarget}
          showBranch={actions.show}
        />
      </SectionErrorBoundary>
    </div>
  )
}

/** Also after a new question, whose answer follows shortly. */
function isAnswerAfter(shownMessages: readonly ShownMessage[], index: number): boolean {
  return shownMessages[index]?.kind === 'user' && shownMessages[index + 1]?.kind !== 'user'
}

function Find(props: Omit<ComponentProps<typeof FindBar>, 'request' | 'onClose'>) {
  const request = useStore(findRequest)
  // For another thread the bar is closed.
  useEffect(() => () => findRequest.set(null), [])
  return request && <FindBar request={request} {...props} onClose={() => findRequest.set(null)} />
}

/** The button loads with the first selection. */
function Quoting(props: ComponentProps<typeof QuoteButton>) {
  const [hasSelected, setSelected] = useState(false)
  useEffect(() => {
    if (hasSelected) return undefined
    const onChange = () => setSelected(document.getSelection()?.isCollapsed === false)
    document.addEventListener('selectionchange', onChange)
    return () => document.removeEventListener('selectionchange', onChange)
  }, [hasSelected])
  return hasSelected && <QuoteButton {...props} />
}

type ScrollToEndButtonProps = { readonly isStreaming: boolean; readonly awayFromEnd: Store<boolean>; readonly onGo: () => void }

function ScrollToEndButton({ isStreaming, awayFromEnd, onGo }: ScrollToEndButtonProps) {
  if (!useStore(awayFromEnd)) return null
  return (
    <IconButton
      label={isStreaming ? t('stillWritingScrollDown') : t('scrollDown')}
      className={cx(
        'absolute! bottom-3 left-1/2 -translate-x-1/2 animate-appear rounded-full! bg-raised! shadow-float',
        isStreaming && 'text-accent!',
      )}
      onClick={onGo}
    >
      <ArrowDown aria-hidden="true" />
    </IconButton>
  )
}

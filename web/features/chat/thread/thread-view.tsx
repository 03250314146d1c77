/** The open thread: its conversation, or a skeleton until its rows arrive, and the marks of its header. */
import { Link } from '@tanstack/react-router'
import { MessageCircleDashed, MonitorSmartphone, X } from 'lucide-react'
import { useEffect, useMemo } from 'react'
import { mutators } from '../../../../worker/contract/mutators.ts'
import { cutAt } from '../../../../worker/contract/text.ts'
import { textOf } from '../../../../worker/contract/threads/messages.ts'
import { isBusy } from '../../../../worker/contract/threads/thread-status.ts'
import { deviceOf } from '../../../lib/device.ts'
import { formatList } from '../../../lib/i18n/format-dates.ts'
import { lazyPart } from '../../../lib/lazy-part.ts'
import { pageSettings } from '../../../lib/page-settings.ts'
import { useShortcuts } from '../../../lib/shortcuts.ts'
import { useAct } from '../../../sync/act.ts'
import { useOpenElsewhere } from '../../../sync/open-thread.ts'
import { useProject } from '../../../sync/organise.ts'
import type { ThreadWithMessages } from '../../../sync/rows.ts'
import { useSummaries, useThread } from '../../../sync/thread.ts'
import { preloadMarkdown } from '../../../ui/markdown/renderer.ts'
import { Popover } from '../../../ui/popover.tsx'
import { Delayed, Skeleton } from '../../../ui/skeleton.tsx'
import { tooltip } from '../../../ui/tooltip.tsx'
import { isContextShown } from '../composer/context-use.ts'
import { useNextModel } from '../composer/next-model.ts'
import { quoteInComposer } from '../composer/quote.ts'
import { threadSlot } from '../composer/thread-slot.ts'
import { copyAnswer, lastAnswer } from '../message/copy-messages.ts'
import { RegenerateContext, useRegenerateInput } from '../message/regenerate-options.ts'
import { comparedAnswers, type ShownMessage, shownMessagesOf } from '../message/shown-messages.ts'
import { toastIfRefused, useMessageActions } from '../message/use-message-actions.ts'
import { threadContext } from './context-start.ts'
import { Conversation } from './conversation.tsx'
import { isFindKeyOurs, openFind, selectedText } from './open-find.ts'
import { temporaryThreadId } from './temporary-thread.tsx'
import { t } from './texts/en.ts'

const ContextMeter = lazyPart(() => import('../composer/context-meter.tsx').then((module) => module.ContextMeter))

export function ThreadView({ threadId }: { readonly threadId: string }) {
  const shown = useThread(threadId)
  const { thread } = shown
  const { me } = useNextModel(thread, threadId)
  const regenerateInput = useRegenerateInput(me, thread?.messages, pageSettings.search)
  // The head of an older branch can be outside of the window.
  const loadHead = shown.state === 'found' && !shown.hasHead ? shown.loadOlder : undefined
  useEffect(() => loadHead?.(), [loadHead])
  const act = useAct()
  const actions = useMessageActions(threadId, { thread, model: me?.model })
  const shownMessages = thread ? shownMessagesOf(thread) : []
  const compared = thread && comparedAnswers(thread)
  const model = me?.model
  const plan = me?.plan
  const setting = me?.setting
  const project = useProject(thread?.projectId)
  const summaries = useSummaries(threadId)
  const context =
    model && plan
      ? threadContext(shownMessages, model, { plan, setting, project, isTemporary: thread?.expiresAt != null }, summaries)
      : null
  const use = context && isContextShown(context.use) ? context.use : null
  const meter = useMemo(() => use && <ContextMeter use={use} />, [use])
  useEffect(() => threadSlot.set(meter), [meter])
  useEffect(() => () => threadSlot.set(null), [])
  useShortcuts({
    copyAnswer: () => {
      const answer = lastAnswer(shownMessages)
      if (answer) copyAnswer(answer)
    },
    stop: () => thread?.status === 'submitted' && void toastIfRefused(act(mutators.threads.stop({ threadId }))),
    find: () => isFindKeyOurs() && openFind(),
    quote: () => {
      const selected = selectedText()
      return selected !== null && quoteInComposer(threadId, selected.text)
    },
  })
  // The route handles a missing thread and redirects.
  if (shown.state !== 'found' || shownMessages.length === 0) return <ThreadSkeleton />
  return (
    <RegenerateContext value={regenerateInput}>
      <Conversation
        threadId={threadId}
        shownMessages={shownMessages}
        thread={shown.thread}
        compared={compared ?? null}
        isComplete={shown.isComplete}
        hasOlder={shown.hasOlder}
        loadOlder={shown.loadOlder}
        start={context?.start ?? null}
        actions={actions}
      />
    </RegenerateContext>
  )
}

// Only pages with a thread need the renderer. Preloading it here loads it in parallel with the first rows.
void preloadMarkdown()

function ThreadSkeleton() {
  return (
    <div className="flex min-h-0 flex-1 flex-col justify-end overflow-hidden">
      <Delayed label={t('loading')}>
        <div className="mx-auto flex w-full max-w-reading flex-col gap-5 px-4 pb-14 md:px-6">
          <Skeleton className="h-11 w-2/5 self-end rounded-2xl" />
          <div className="flex flex-col gap-3">
            <Skeleton className="h-4 w-11/12" />
            <Skeleton className="h-4 w-full" />
            <Skeleton className="h-4 w-4/5" />
            <Skeleton className="h-4 w-3/5" />
          </div>
        </div>
      </Delayed>
    </div>
  )
}

/** Marks of the open thread, in its header. */
export function ThreadMarks({ thread }: { readonly thread: ThreadWithMessages }) {
  return (
    <>
      <PresenceMark thread={thread} />
      {thread.expiresAt != null && <TemporaryMark threadId={thread.id} />}
    </>
  )
}

function TemporaryMark({ threadId }: { readonly threadId: string }) {
  useEffect(() => temporaryThreadId.set(threadId), [threadId])
  return (
    <div className="flex h-8 shrink-0 items-center gap-1.5 rounded-full border border-dashed pr-1 pl-2.5 text-sm whitespace-nowrap touch:h-9">
      <MessageCircleDashed aria-hidden="true" className="size-4 text-accent" />
      <span {...tooltip(t('temporaryDescription'))}>{t('temporary')}</span>
      <Link
        to="/"
        aria-label={t('closeTemporary')}
        {...tooltip(t('closeTemporary'))}
        className="touch-target rounded-full p-1 text-muted-foreground hover:bg-foreground/8 hover:text-foreground"
      >
        <X aria-hidden="true" className="size-3.5" />
      </Link>
    </div>
  )
}

/** Chosen: the text takes at most three lines of the tooltip. */
const maxQuestionChars = 40

/** Names the user's other devices on which the thread is open, and the question that is being answered. A press shows the text where there is no hover. */
function PresenceMark({ thread }: { readonly thread: ThreadWithMessages }) {
  const userAgents = useOpenElsewhere(thread.id)
  if (userAgents.length === 0) return null
  const devices = formatList([...new Set(userAgents.map((userAgent) => deviceOf(userAgent).name))])
  const question = isBusy(thread) ? questionOf(shownMessagesOf(thread)) : ''
  const text = question ? t('answeringOn', { devices, question }) : t('openOn', { devices })
  return (
    <div role="status" className="flex shrink-0">
      <Popover
        label={text}
        placement="bottom-end"
        className="max-w-72 px-3 py-2 text-pretty"
        trigger={(props) => (
          <button
            {...props}
            type="button"
            {...tooltip(text)}
            className="flex size-7 touch-target items-center justify-center rounded-lg hover:bg-foreground/8 aria-expanded:bg-foreground/8"
          >
            <MonitorSmartphone aria-hidden="true" className="size-4 text-accent" />
            <span className="sr-only">{text}</span>
          </button>
        )}
      >
        {() => text}
      </Popover>
    </div>
  )
}

function questionOf(shownMessages: readonly ShownMessage[]): string {
  const question = shownMessages.findLast((shown) => shown.kind === 'user')
  const text = question ? textOf(question.message).replace(/\s+/g, ' ').trim() : ''
  return text.length > maxQuestionChars ? `${cutAt(text, maxQuestionChars)}…` : text
}

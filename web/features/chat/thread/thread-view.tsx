/** The open thread: its conversation, or a skeleton until its rows arrive. */
import { Link } from '@tanstack/react-router'
import { MessageCircleDashed, X } from 'lucide-react'
import { useEffect } from 'react'
import { mutators } from '../../../../worker/contract/mutators.ts'
import { isBusy } from '../../../../worker/contract/threads/thread-status.ts'
import { pageSettings } from '../../../lib/page-settings.ts'
import { useShortcuts } from '../../../lib/shortcuts.ts'
import { useAct } from '../../../sync/act.ts'
import { useMe } from '../../../sync/hooks.ts'
import { useProject } from '../../../sync/organise.ts'
import { useThread } from '../../../sync/thread.ts'
import { preloadMarkdown } from '../../../ui/markdown/renderer.ts'
import { Delayed, Skeleton } from '../../../ui/skeleton.tsx'
import { tooltip } from '../../../ui/tooltip.tsx'
import { quoteInComposer } from '../composer/quote.ts'
import { lastAnswer } from '../message/copied-text.ts'
import { copyAnswer } from '../message/copy-messages.ts'
import { RegenerateContext, useRegenerateInput } from '../message/regenerate-context.ts'
import { comparedAnswers, shownMessagesOf } from '../message/shown-messages.ts'
import { toastIfRefused, useMessageActions } from '../message/use-message-actions.ts'
import { contextStart } from './context-start.tsx'
import { Conversation } from './conversation.tsx'
import { PresenceMark } from './marks/presence-mark.tsx'
import { temporaryThreadId } from './marks/temporary-thread.tsx'
import { isFindKeyOurs, openFind } from './open-find.ts'
import { selectedText } from './selected-text.ts'
import { t } from './texts/en.ts'

export function ThreadView({ threadId }: { readonly threadId: string }) {
  const shown = useThread(threadId)
  const { thread } = shown
  const me = useMe()
  const regenerateInput = useRegenerateInput(thread?.messages, pageSettings.search)
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
  const start = model && plan ? contextStart(shownMessages, model, { plan, setting, project }) : null
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
      <div className="pointer-events-none absolute top-[max(0.75rem,env(safe-area-inset-top))] right-4 z-6 flex max-w-2/3 gap-2 *:pointer-events-auto">
        <PresenceMark threadId={threadId} shownMessages={shownMessages} isBusy={isBusy(shown.thread)} />
        {shown.thread.expiresAt != null && <TemporaryMark threadId={threadId} />}
      </div>
      <Conversation
        threadId={threadId}
        shownMessages={shownMessages}
        thread={shown.thread}
        compared={compared ?? null}
        isComplete={shown.isComplete}
        hasOlder={shown.hasOlder}
        loadOlder={shown.loadOlder}
        start={start}
        modelName={model?.name ?? ''}
        actions={actions}
      />
    </RegenerateContext>
  )
}

function TemporaryMark({ threadId }: { readonly threadId: string }) {
  useEffect(() => temporaryThreadId.set(threadId), [threadId])
  return (
    <div className="flex h-7 shrink-0 items-center gap-1.5 rounded-full border border-dashed bg-background pr-1 pl-2.5 text-xs touch:h-9">
      <MessageCircleDashed aria-hidden="true" className="size-3.5 text-accent" />
      <span {...tooltip(t('temporaryDescription'))}>{t('temporary')}</span>
      <Link
        to="/"
        aria-label={t('closeTemporary')}
        {...tooltip(t('closeTemporary'))}
        className="touch-target rounded-full p-1 text-muted-foreground hover:bg-foreground/8 hover:text-foreground"
      >
        <X aria-hidden="true" className="size-3" />
      </Link>
    </div>
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

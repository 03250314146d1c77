/** Palette commands for the open thread, and for the text in the composer. */
import { useMatches, useSearch } from '@tanstack/react-router'
import { BookmarkPlus, Copy, FileText, GitFork, Square, SquarePen, TextSearch } from 'lucide-react'
import { mutators } from '../../../../worker/contract/mutators.ts'
import { newDraftKey, newThreadKey } from '../../../../worker/contract/threads/draft-key.ts'
import { isBusy } from '../../../../worker/contract/threads/thread-status.ts'
import { useOpenNewThread, useOpenThreadId } from '../../../lib/navigation.ts'
import { openOverlay } from '../../../lib/overlays.ts'
import { pageShortcuts } from '../../../lib/shortcuts.ts'
import { useStored } from '../../../lib/store.ts'
import { libText } from '../../../lib/texts/en.ts'
import { useAct } from '../../../sync/act.ts'
import { useThread } from '../../../sync/thread.ts'
import type { Command } from '../../../ui/command.ts'
import { chordOf } from '../../../ui/kbd.tsx'
import { draftOf, replaceDraft } from '../composer/drafts.ts'
import { copyAnswer, lastAnswer, useCopyThread } from '../message/copy-messages.ts'
import { shownMessagesOf } from '../message/shown-messages.ts'
import { toastIfRefused, useFork } from '../message/use-message-actions.ts'
import { openFind } from './open-find.ts'
import { t } from './texts/en.ts'

export function useConversationCommands(): readonly Command[] {
  const threadId = useOpenThreadId()
  const { thread } = useThread(threadId)
  const act = useAct()
  const copyThread = useCopyThread()
  const fork = useFork()
  const { headId } = thread ?? {}
  if (!thread || headId == null) return []
  const shownMessages = shownMessagesOf(thread)
  const answer = lastAnswer(shownMessages)
  return [
    {
      id: 'find',
      title: libText(pageShortcuts.find.descriptionKey),
      icon: <TextSearch aria-hidden="true" />,
      keys: chordOf(pageShortcuts.find),
      run: openFind,
    },
    ...(isBusy(thread)
      ? [
          {
            id: 'stop',
            title: t('stopAnswer'),
            icon: <Square aria-hidden="true" />,
            run: () => void toastIfRefused(act(mutators.threads.stop({ threadId: thread.id }))),
          },
        ]
      : []),
    ...(answer
      ? [
          {
            id: 'copy-answer',
            title: libText(pageShortcuts.copyAnswer.descriptionKey),
            icon: <Copy aria-hidden="true" />,
            keys: chordOf(pageShortcuts.copyAnswer),
            run: () => copyAnswer(answer),
          },
        ]
      : []),
    {
      id: 'copy-thread',
      title: t('copyAsMarkdown'),
      words: t('copyWords'),
      icon: <FileText aria-hidden="true" />,
      run: () => void copyThread(thread),
    },
    ...(thread.expiresAt == null
      ? [{ id: 'fork', title: t('fork'), words: t('forkWords'), icon: <GitFork aria-hidden="true" />, run: () => fork(thread, headId) }]
      : []),
  ]
}

export function useComposerCommands(): readonly Command[] {
  const threadId = useOpenThreadId()
  const hasComposer = useMatches({ select: (matches) => matches.some(({ routeId }) => routeId === '/live/chat') })
  const { temporary } = useSearch({ strict: false })
  const text = useStored(draftOf(threadId ?? newDraftKey(temporary === true)), (draft) => draft.text.trim())
  if (!hasComposer || text === '') return []
  return [
    {
      id: 'save-prompt',
      title: t('saveAsPrompt'),
      words: t('saveAsPromptWords'),
      icon: <BookmarkPlus aria-hidden="true" />,
      run: () => openOverlay({ promptText: text }),
    },
  ]
}

/** Puts a text that the palette did not find into the composer of a new thread. */
export function useAskCommand(): (text: string) => Command {
  const openNewThread = useOpenNewThread()
  return (text) => ({
    id: 'ask',
    title: t('ask', { text }),
    icon: <SquarePen aria-hidden="true" />,
    run: () => {
      replaceDraft(newThreadKey, { text })
      openNewThread()
    },
  })
}

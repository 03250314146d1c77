/** The actions of a message. */
import { useNavigate } from '@tanstack/react-router'
import { creditsFor } from '../../../../worker/contract/access.ts'
import { filesOf } from '../../../../worker/contract/files/files.ts'
import type { TurnMode } from '../../../../worker/contract/models/modes.ts'
import { mutators } from '../../../../worker/contract/mutators.ts'
import { researchPlanOf } from '../../../../worker/contract/research/research.ts'
import { type AnswerMessage, textOf } from '../../../../worker/contract/threads/messages.ts'
import { createId } from '../../../lib/create-id.ts'
import { creditsText } from '../../../lib/format.ts'
import { refusalSentence } from '../../../lib/refusals/sentence.ts'
import { serverNowMs } from '../../../lib/server-clock.ts'
import { useLatest } from '../../../lib/use-stable.ts'
import { type Action, settled, useAct } from '../../../sync/act.ts'
import { recordOwnDeletion } from '../../../sync/deletion-checks.ts'
import type { ModelRow, ThreadWithMessages } from '../../../sync/rows.ts'
import { toastRefusal } from '../../../ui/toast-refusal.ts'
import { toast } from '../../../ui/toaster.tsx'
import { beginEditing } from '../composer/begin-editing.ts'
import { focusComposer } from '../composer/composer-field.tsx'
import { draftOf } from '../composer/drafts.ts'
import { quoteInComposer } from '../composer/quote.ts'
import { announceTurnRequest } from '../stream/turn-requests.ts'
import { useCopyThread } from './copy-messages.ts'
import type { RegenerateOptions } from './regenerate-options.ts'
import { isWholePath, type ShownMessage, type StoredAnswer, shownMessagesOf } from './shown-messages.ts'
import { t } from './texts/en.ts'

type StoredUserMessage = Extract<ShownMessage, { kind: 'user' }>
type StoredMessage = StoredUserMessage | StoredAnswer

/** Model and mode of a new answer. `insteadOf`: the answer of a comparison that the new answer replaces. */
type AnswerChoice = Pick<RegenerateOptions, 'modelId' | 'mode'> & { readonly insteadOf?: string }

export type MessageActions = {
  /** The cost of an answer by the chosen model, as text. */
  readonly price: string | undefined
  readonly edit: (shown: StoredUserMessage) => void
  /** Answers a message that has no answer. */
  readonly answer: (shown: StoredUserMessage) => void
  /** Answers the same message again, as a new version. */
  readonly regenerate: (shown: StoredAnswer, choice: AnswerChoice) => void
  /** Continues an unfinished answer. */
  readonly resume: (shown: StoredAnswer, choice: AnswerChoice) => void
  /** Resolves with false if the branch cannot be shown; a toast has given the reason. */
  readonly show: (messageId: string) => Promise<boolean>
  /** Absent in a temporary thread, as `fork` is. */
  readonly bookmark?: (shown: StoredMessage) => void
  /** Quotes the whole message in the composer. */
  readonly quote: (shown: StoredMessage) => void
  /** Copies the branch up to here into a new thread. */
  readonly fork?: (shown: StoredMessage) => void
  /** Copies all messages up to here as Markdown. */
  /** Resolves with true if the text was copied; a toast has shown a failure. */
  readonly copyThread: (shown: StoredMessage) => Promise<boolean>
  /** Deletes the message and the messages below it, with undo. */
  readonly remove: (shown: StoredMessage) => void
}

/** True for the only first message of a thread: deleting it deletes the thread. */
export const isWholeThread = ({ parentId, versions }: StoredMessage): boolean => parentId === null && versions.ids.length === 1

type Shown = { readonly thread: ThreadWithMessages | undefined; readonly model: Pick<ModelRow, 'id' | 'credits'> | null | undefined }

export function useMessageActions(threadId: string, { thread, model: chosen }: Shown): MessageActions {
  const chosenModelId = chosen?.id
  const price = chosen ? t('fromCredits', { credits: creditsText(creditsFor(chosen)) }) : undefined
  const act = useAct()
  const copyThread = useCopyThread()
  const fork = useFork()
  const navigate = useNavigate()
  // Read through a ref, because actions that change with every chunk would render every message again.
  const latestThread = useLatest(thread)
  const isTemporary = thread?.expiresAt != null
  const requestAnswer = (parentId: string | null, args: Partial<AnswerChoice> & { readonly continueId?: string }) => {
    const modelId = args.modelId ?? chosenModelId
    if (parentId === null) return
    if (!modelId) return toast('error', refusalSentence({ code: 'no_model' }))
    const action = act(mutators.threads.answer({ ...args, threadId, answerId: createId(), parentId, modelId, at: serverNowMs() }))
    focusComposerFromMessage()
    announceTurnRequest(threadId)
    void toastIfRefused(action)
  }
  const openThread = (id: string) => void navigate({ to: '/$threadId', params: { threadId: id } })
  const removeThread = () => {
    recordOwnDeletion(threadId, () => openThread(threadId))
    void toastIfRefused(act(mutators.threads.delete({ threadIds: [threadId], at: serverNowMs() })))
    void navigate({ to: '/' })
  }
  return {
    price,
    edit: ({ id, parentId, message }) =>
      beginEditing(
        threadId,
        { messageId: id, parentId },
        {
          text: textOf(message),
          files: filesOf(message),
          mode: requestedMode(latestThread.current, id) ?? draftOf(threadId).get().choices.mode,
          origins: (message.role === 'user' && message.origins) || [],
        },
      ),
    answer: ({ id }) => requestAnswer(id, {}),
    regenerate: ({ parentId }, choice) => requestAnswer(parentId, answerArgs(choice)),
    resume: ({ id, parentId, message }, choice) =>
      requestAnswer(parentId, { ...answerArgs(choice), ...(canContinue(message) && { continueId: id }) }),
    show: (messageId) => toastIfRefused(act(mutators.threads.show({ threadId, messageId }))),
    quote: ({ message }) => quoteInComposer(threadId, textOf(message)),
    copyThread: async ({ id }) => latestThread.current !== undefined && copyThread(latestThread.current, id),
    remove: (shown) => {
      if (isWholeThread(shown)) return removeThread()
      recordOwnDeletion(shown.id)
      focusComposerFromMessage()
      void toastIfRefused(act(mutators.messages.delete({ threadId, messageId: shown.id, at: serverNowMs() })))
    },
    ...(!isTemporary && {
      bookmark: ({ id, isBookmarked }) => {
        const bookmark = { threadId, messageId: id, isBookmarked: !isBookmarked, at: serverNowMs() }
        void toastIfRefused(act(mutators.messages.bookmark(bookmark)))
      },
      fork: ({ id }) => latestThread.current && fork(latestThread.current, id),
    }),
  }
}

/** The mode in which the shown answer to a message was requested. */
export function requestedMode(thread: ThreadWithMessages | undefined, messageId: string): TurnMode | undefined {
  const answer = thread && shownMessagesOf(thread).find((shown) => shown.kind === 'answer' && shown.parentId === messageId)
  return answer?.kind === 'answer' ? (answer.message.metadata.mode ?? 'chat') : undefined
}

/** The pressed button disappears with its message. */
const focusComposerFromMessage = (): void => focusComposer(document.activeElement)

const answerArgs = ({ modelId, mode, insteadOf }: AnswerChoice) => ({
  modelId,
  ...(mode !== 'chat' && { mode }),
  ...(insteadOf && { insteadOf }),
})

/** A research without a plan cannot continue; it is planned again. */
const canContinue = ({ metadata: { mode }, parts }: AnswerMessage): boolean => mode !== 'research' || researchPlanOf(parts) !== null

/**
 * Copies the branch up to a message into a new thread and opens it: at once if all of its messages are loaded, otherwise after the server
 * created it.
 */
export function useFork(): (thread: ThreadWithMessages, messageId: string) => void {
  const act = useAct()
  const navigate = useNavigate()
  return async (thread, messageId) => {
    const newThreadId = createId()
    const action = act(mutators.threads.fork({ threadId: thread.id, messageId, newThreadId, at: serverNowMs() }))
    const reported = toastIfRefused(action)
    const canOpen = isWholePath(thread) ? (await action.client).ok : await reported
    if (canOpen) await navigate({ to: '/$threadId', params: { threadId: newThreadId } })
  }
}

/** Resolves with true if the action succeeded. */
export const toastIfRefused = (action: Action): Promise<boolean> => toastRefusal(settled(action))

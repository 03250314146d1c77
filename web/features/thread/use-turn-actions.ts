/** What a person can do with a message, beyond reading it. */
import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { undoToastMs } from '../../../worker/contract/limits.ts'
import { type AnswerMessage, textOf } from '../../../worker/contract/messages.ts'
import type { TurnMode } from '../../../worker/contract/modes.ts'
import { copyText } from '../../lib/clipboard.ts'
import { createId } from '../../lib/create-id.ts'
import { beginEditing } from '../../stores/drafts.ts'
import { announceOwnTurn } from '../../stores/own-turns.ts'
import { type Action, settled, useActions } from '../../sync/actions.ts'
import { toast } from '../../ui/toaster.tsx'
import type { Turn } from './turns.ts'

type UserTurn = Extract<Turn, { kind: 'user' }>
type AnswerTurn = Extract<Turn, { kind: 'answer' }>
type StoredTurn = UserTurn | AnswerTurn

export type TurnActions = {
  readonly copy: (turn: StoredTurn) => void
  readonly edit: (turn: UserTurn) => void
  /** Answers a message that has no answer. */
  readonly answer: (turn: UserTurn) => void
  /** Answers the same question again, as a new version; by the chosen model, or by this one. */
  readonly regenerate: (turn: AnswerTurn, modelId?: string) => void
  /** Goes on where an unfinished answer ended. */
  readonly resume: (turn: AnswerTurn) => void
  readonly show: (messageId: string) => void
  readonly fork: (turn: StoredTurn) => void
  /** Takes it and what follows it away, with a way back. */
  readonly remove: (turn: StoredTurn) => void
}

/** A thread's only beginning cannot go alone. */
export const isWholeThread = ({ parentId, versions }: StoredTurn): boolean => parentId === null && versions.ids.length === 1

export function useTurnActions(threadId: string, chosenModelId: string | undefined): TurnActions {
  const actions = useActions()
  const navigate = useNavigate()
  return useMemo(() => {
    const ask = (parentId: string | null, turn: { readonly modelId?: string; readonly mode?: TurnMode; readonly continueId?: string }) => {
      const modelId = turn.modelId ?? chosenModelId
      if (parentId === null) return
      if (!modelId) return toast('error', 'No model selected')
      const action = actions.answer({ ...turn, threadId, answerId: createId(), parentId, modelId })
      announceOwnTurn(threadId)
      void report(action)
    }
    const openThread = (id: string) => void navigate({ to: '/$threadId', params: { threadId: id } })
    const removeThread = () => {
      void report(actions.remove(threadId))
      void navigate({ to: '/' })
      offerUndo(`deleted-${threadId}`, 'Thread deleted', () => {
        void report(actions.restore(threadId))
        openThread(threadId)
      })
    }
    return {
      copy: ({ message }) => void copyText(textOf(message)).then(reportCopy),
      edit: ({ id, parentId, message }) => beginEditing(threadId, { messageId: id, parentId }, textOf(message)),
      answer: ({ id }) => ask(id, {}),
      regenerate: ({ parentId, message }, modelId) => ask(parentId, { ...modeOf(message), ...(modelId && { modelId }) }),
      resume: ({ id, parentId, message }) => ask(parentId, { ...modeOf(message), continueId: id }),
      show: (messageId) => void report(actions.show(threadId, messageId)),
      fork: async ({ id }) => {
        const newThreadId = createId()
        const action = actions.fork(threadId, id, newThreadId)
        void report(action)
        if ((await action.client).ok) openThread(newThreadId)
      },
      remove: (turn) => {
        if (isWholeThread(turn)) return removeThread()
        void report(actions.removeMessage(threadId, turn.id))
        offerUndo(`deleted-${turn.id}`, 'Message deleted', () => void report(actions.restoreMessage(threadId, turn.id)))
      },
    }
  }, [actions, navigate, threadId, chosenModelId])
}

const modeOf = ({ metadata: { mode } }: AnswerMessage): { readonly mode?: TurnMode } => (mode ? { mode } : {})

const offerUndo = (id: string, message: string, onClick: () => void) =>
  toast('success', message, { id, durationMs: undoToastMs, action: { label: 'Undo', onClick } })

const reportCopy = (isCopied: boolean) =>
  isCopied ? toast('success', 'Copied to clipboard') : toast('error', 'The browser did not allow copying')

async function report(action: Action): Promise<void> {
  const outcome = await settled(action)
  if (!outcome.ok) toast('error', outcome.refusal.message)
}

/** What a person can do with a message, beyond reading it. */
import { useMemo } from 'react'
import { textOf } from '../../../worker/contract/messages.ts'
import { copyText } from '../../lib/clipboard.ts'
import { createId } from '../../lib/create-id.ts'
import { beginEditing } from '../../stores/drafts.ts'
import { announceOwnTurn } from '../../stores/own-turns.ts'
import { useActions } from '../../sync/actions.ts'
import type { Outcome } from '../../sync/outcome.ts'
import { toast } from '../../ui/toaster.tsx'
import type { Turn } from './turns.ts'

type UserTurn = Extract<Turn, { kind: 'user' }>
type AnswerTurn = Extract<Turn, { kind: 'answer' }>

export type TurnActions = {
  readonly copy: (turn: UserTurn | AnswerTurn) => void
  readonly edit: (turn: UserTurn) => void
  /** Answers the same question again, as a new version. */
  readonly regenerate: (turn: AnswerTurn) => void
  /** Goes on where an unfinished answer ended. */
  readonly resume: (turn: AnswerTurn) => void
}

export function useTurnActions(threadId: string, modelId: string | undefined): TurnActions {
  const { answer } = useActions()
  return useMemo(() => {
    const answerAgain = ({ id, parentId }: AnswerTurn, isContinued: boolean) => {
      if (parentId === null) return
      if (!modelId) return toast('error', 'No model selected')
      const { server } = answer({ threadId, answerId: createId(), parentId, modelId, ...(isContinued && { continueId: id }) })
      announceOwnTurn(threadId)
      void server.then(reportRefusal)
    }
    return {
      copy: ({ message }) => void copyText(textOf(message)).then(reportCopy),
      edit: ({ id, parentId, message }) => beginEditing(threadId, { messageId: id, parentId }, textOf(message)),
      regenerate: (turn) => answerAgain(turn, false),
      resume: (turn) => answerAgain(turn, true),
    }
  }, [answer, threadId, modelId])
}

const reportCopy = (isCopied: boolean) =>
  isCopied ? toast('success', 'Copied to clipboard') : toast('error', 'The browser did not allow copying')

const reportRefusal = (outcome: Outcome) => {
  if (!outcome.ok) toast('error', outcome.refusal.message)
}

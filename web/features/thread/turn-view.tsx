/** One message of the conversation. */
import { memo } from 'react'
import { textOf } from '../../../worker/contract/messages.ts'
import { AnswerView } from './answer-view.tsx'
import type { Turn } from './turns.ts'
import type { TurnActions } from './use-turn-actions.ts'
import { UserMessageView } from './user-message-view.tsx'

type TurnViewProps = {
  readonly threadId: string
  readonly turn: Turn
  readonly actions: TurnActions
  readonly isBusy: boolean
  readonly isLast: boolean
}

const busyText = 'An answer is still being written in this thread. Wait for it or stop it first.'

export const TurnView = memo(
  function TurnView({ threadId, turn, actions, isBusy, isLast }: TurnViewProps) {
    const busyReason = isBusy ? busyText : undefined
    if (turn.kind !== 'user')
      return <AnswerView threadId={threadId} turn={turn} actions={actions} busyReason={busyReason} isLast={isLast} />
    return (
      <UserMessageView
        text={textOf(turn.message)}
        busyReason={busyReason}
        onCopy={() => actions.copy(turn)}
        onEdit={() => actions.edit(turn)}
      />
    )
  },
  (before, after) =>
    before.isBusy === after.isBusy &&
    before.isLast === after.isLast &&
    before.actions === after.actions &&
    isSameTurn(before.turn, after.turn),
)

/** Turns are made anew with every row that changes; their messages are not. */
function isSameTurn(before: Turn, after: Turn): boolean {
  if (before.id !== after.id || before.parentId !== after.parentId) return false
  if (before.kind === 'live') return after.kind === 'live' && before.isStopping === after.isStopping
  return after.kind !== 'live' && before.message === after.message
}

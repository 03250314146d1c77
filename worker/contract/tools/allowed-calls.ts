/** The calls of an answer that the user has allowed and that have no result yet. Not part of the first load of the page. */
import type { MessagePart } from '../threads/messages.ts'
import { isWaitingCall } from './approvals.ts'

/** The tools of the allowed calls that have no result yet, one for each call. */
export const allowedTools = (parts: readonly MessagePart[]): readonly string[] =>
  parts
    .filter(isWaitingCall)
    .flatMap(({ type, state, approval: { approved } = {} }) =>
      state === 'approval-responded' && approved ? [type.slice('tool-'.length)] : [],
    )

/** The parts with every undecided call allowed. */
export const allowedParts = (parts: readonly MessagePart[]): readonly MessagePart[] =>
  parts.map((part) =>
    isWaitingCall(part) && part.state === 'approval-requested' && part.approval
      ? { ...part, state: 'approval-responded', approval: { ...part.approval, approved: true } }
      : part,
  )

/** The calls of an answer that the next turn makes. Not part of the first load of the page. */
import type { MessagePart } from '../threads/messages.ts'
import { isWaitingCall } from './approvals.ts'

/** The tools of the calls that the next turn makes, one for each call. A declined request of a server is one too: the server learns of it by a call. */
export const allowedTools = (parts: readonly MessagePart[]): readonly string[] =>
  parts
    .filter(isWaitingCall)
    .flatMap(({ type, state, approval: { approved, isInput } = {} }) =>
      state === 'approval-responded' && (approved || isInput) ? [type.slice('tool-'.length)] : [],
    )

/** The parts with every undecided call allowed. */
export const allowedParts = (parts: readonly MessagePart[]): readonly MessagePart[] =>
  parts.map((part) =>
    isWaitingCall(part) && part.state === 'approval-requested' && part.approval
      ? { ...part, state: 'approval-responded', approval: { ...part.approval, approved: true } }
      : part,
  )

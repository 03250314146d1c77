/**
 * Tool calls that need the user's approval, or an answer to what their server asks, as clients see them; the rules of `schema.ts` apply. The turn
 * that wants the call ends, its ending inserts the row, and the decision opens the turn that continues the answer (rules Y1 to Y12 in
 * `worker/turns/SPEC.md`).
 */
import { boolean, json, number, type ReadonlyJSONValue, string, table } from '@rocicorp/zero'
import type { MessagePart, ToolApproval, ToolPart, ToolSourceName } from '../threads/messages.ts'
import type { InputAnswer, InputAsk } from './server-input.ts'
import type { ToolGrant } from './taint.ts'

/**
 * Why the call waits. `changes`: it changes something. `outside`: text from outside is in the context and could have chosen the input.
 * `input`: its server asked the user during the call, which was cancelled; `form` has the request.
 * After an approval: `call_lost`: the server stopped during the call, which may have been carried out; `not_called`: it stopped before the call;
 * `tool_changed`: the tool was not what the user allowed.
 */
export type ApprovalCause = 'changes' | 'outside' | 'input' | 'call_lost' | 'not_called' | 'tool_changed'

export const approval = table('approval')
  .columns({
    id: string(),
    userId: string(),
    threadId: string(),
    /** The answer that contains the call. */
    messageId: string(),
    toolCallId: string(),
    source: json<ToolSourceName>(),
    /** Name of the tool for the model. */
    tool: string(),
    /** Name and description as the source gives them. */
    title: string(),
    description: string(),
    /** The digest of the definition that the user sees. A tool with another definition is not called. */
    digest: string(),
    cause: string<ApprovalCause>(),
    /** The input that is sent, with the user's changes. */
    input: json<ReadonlyJSONValue>(),
    /** JSON schema of the input. Absent: the input cannot be changed. */
    inputSchema: json<ReadonlyJSONValue>().optional(),
    /** The requests of the server. Absent: the call waits for an approval. */
    form: json<readonly InputAsk[]>().optional(),
    /** The user's answer, for each request of `form`. Of a pending row: the answer that a crash lost. Absent after a decision: declined. */
    answers: json<readonly InputAnswer[]>().optional(),
    /** The state that the next call needs. Sealed: only the Worker reads it. */
    callState: string().optional(),
    state: string<'pending' | 'allowed' | 'denied'>(),
    /** Allows later calls of the same tool in the thread. */
    isForThread: boolean().optional(),
    /** The user changed the input. */
    isChanged: boolean().optional(),
    /** Why the user denied the call. */
    reason: string().optional(),
    /** Id of the answer that the decision was made for. A repeated decision has the same. */
    answerId: string().optional(),
    createdAt: number(),
    expiresAt: number(),
    decidedAt: number().optional(),
  })
  .primaryKey('id')

/** The part of a row that the source and the turn know. */
export type ApprovalRequest = {
  readonly source: ToolSourceName
  readonly tool: string
  readonly title: string
  readonly description: string
  readonly digest: string
  readonly cause: ApprovalCause
  readonly input: ReadonlyJSONValue
  readonly inputSchema?: ReadonlyJSONValue
  readonly form?: readonly InputAsk[]
  readonly answers?: readonly InputAnswer[]
  readonly callState?: string
}

/** A decided call, for the turn that continues the answer. */
export type DecidedCall = Omit<ApprovalRequest, 'cause'> & {
  readonly id: string
  readonly toolCallId: string
  readonly isAllowed: boolean
}

type Optional = 'inputSchema' | 'form' | 'answers' | 'callState'
type Row = Omit<ApprovalRequest, 'cause' | Optional> & {
  readonly [name in Optional]?: ApprovalRequest[name] | null | undefined
} & {
  readonly id: string
  readonly toolCallId: string
  readonly state: string
}

/** The decided calls of an answer that have no result, in its order. `approvals`: rows of the answer. */
export const decidedCalls = (parts: readonly MessagePart[], approvals: readonly Row[]): readonly DecidedCall[] =>
  parts.filter(isWaitingCall).flatMap(({ toolCallId, approval: asked }) => {
    const row = approvals.find(({ id, state }) => id === asked?.id && state !== 'pending')
    if (!row) return []
    const { id, source, tool, title, description, digest, input, inputSchema, form, answers, callState } = row
    return [
      {
        ...{ id, toolCallId, isAllowed: row.state === 'allowed', source, tool, title, description, digest, input },
        ...(inputSchema != null && { inputSchema }),
        ...(form != null && { form }),
        ...(answers != null && { answers }),
        ...(callState != null && { callState }),
      },
    ]
  })

type Decided = Pick<Row, 'state' | 'source' | 'tool' | 'digest'> & { readonly isForThread?: boolean | null | undefined }

/** The tools that the user allowed for the thread with these rows. */
export const grantsIn = (approvals: readonly Decided[]): readonly ToolGrant[] =>
  approvals
    .filter(({ state, isForThread }) => state === 'allowed' && isForThread === true)
    .map(({ source, tool, digest }) => ({ source: source.id, tool, digest }))

/** True if a call waits for the user. Some calls of the answer may be decided already. */
export const waitsForApproval = (parts: readonly MessagePart[]): boolean => parts.some(isWaitingCall)

/** True if one of the waiting calls waits for an answer to its server. */
export const asksForInput = (parts: readonly MessagePart[]): boolean =>
  parts.some((part) => isWaitingCall(part) && part.approval?.isInput === true)

export const isWaitingCall = (part: MessagePart): part is ToolPart =>
  'toolCallId' in part && (part.state === 'approval-requested' || part.state === 'approval-responded')

/** The parts with the call of this approval changed. */
export const withCall = (
  parts: readonly MessagePart[],
  { id, toolCallId }: { readonly id: string; readonly toolCallId: string },
  change: Partial<ToolPart>,
): readonly MessagePart[] =>
  parts.map((part) => (isWaitingCall(part) && part.toolCallId === toolCallId && part.approval?.id === id ? { ...part, ...change } : part))

const undecided = ({ id, isInput }: ToolApproval): ToolApproval => ({ id, ...(isInput && { isInput }) })

/** The parts with every waiting call denied: another message followed, or they are a copy. */
export const withoutWaiting = (parts: readonly MessagePart[]): readonly MessagePart[] =>
  parts.map((part) =>
    isWaitingCall(part) && part.approval
      ? { ...part, state: 'output-denied', approval: { ...undecided(part.approval), approved: false } }
      : part,
  )

/**
 * The user's decisions on tool calls (`worker/turns/SPEC.md`, Y1 to Y12). Only the server runs them, because two devices can decide at the same
 * time. A decision changes the row, which a guard of D1 allows once, and the call in the answer.
 */
import { filesOf } from '../contract/files/files.ts'
import { approvalLifeMs } from '../contract/limits.ts'
import type { TurnMode } from '../contract/models/modes.ts'
import { checkTurn, laterExpiry, mustFindMessage, mustFindThread, mustFindVisible, refuse, type Tx } from '../contract/mutator-rules.ts'
import { type RowOf, zql } from '../contract/schema.ts'
import type { AnswerMessage, ToolPart } from '../contract/threads/messages.ts'
import { waitAgain } from '../contract/threads/queue-mutators.ts'
import { type DecideApprovalArgs, renewApprovalsArgs, revokeGrantArgs } from '../contract/threads/server-args.ts'
import { isBusy } from '../contract/threads/thread-status.ts'
import { withCall, withoutWaiting } from '../contract/tools/approvals.ts'
import type { InputAsk, InputSchema } from '../contract/tools/server-input.ts'
import { fitsSchema } from '../lib/fits-schema.ts'
import { defineServerMutator, type ServerContext } from './server-mutator.ts'

type Approval = RowOf<'approval'>

/** The turn that continues an answer. */
type Continuation = {
  readonly threadId: string
  readonly parentId: string
  readonly continueId: string
  readonly modelId: string
  readonly mode: TurnMode
}

/** Records a decision. Returns the turn to open if all calls of the answer are decided. A repeated decision writes nothing. */
export async function decideCall(tx: Tx, args: DecideApprovalArgs, ctx: ServerContext): Promise<Continuation | null> {
  const { userId, nowMs } = ctx
  const approval = await tx.run(zql.approval.where('id', args.id).where('userId', userId).one())
  if (!approval) throw refuse('not_found')
  if (approval.answerId === args.answerId) return null
  const thread = await mustFindThread(tx, ctx, approval.threadId)
  const { message, parentId } = await mustFindVisible(tx, thread, approval.messageId)
  if (message.role !== 'assistant' || parentId == null) throw refuse('invalid_request')
  if (approval.state !== 'pending') throw refuse('approval_decided')
  if (nowMs >= approval.expiresAt) throw refuse('approval_expired')
  if (isBusy(thread)) throw refuse('thread_busy')
  const { compared } = thread
  if (thread.headId !== message.id && !compared?.some(({ id }) => id === message.id)) throw refuse('approval_passed')
  const change = decisionOf(approval, args)

  const others = await waitingIn(tx, message.id)
  const isLast = others.every(({ id }) => id === approval.id)
  const { modelId, mode = 'chat' } = message.metadata
  if (isLast) {
    const question = await mustFindMessage(tx, thread.id, parentId)
    await checkTurn(tx, ctx, { modelId, mode, files: filesOf(question.message), continued: message.parts }, nowMs)
    await waitAgain(tx, thread, parentId)
  }
  await tx.mutate.approval.update({ id: approval.id, ...change.row, answerId: args.answerId, decidedAt: nowMs })
  await save(tx, message, approval, change.part, nowMs)
  if (!isLast) return null
  await tx.mutate.thread.update({
    id: thread.id,
    status: 'submitted',
    streamId: args.answerId,
    headId: parentId,
    updatedAt: nowMs,
    unreadAt: null,
    compared: compared?.map((answer) => (answer.id === message.id ? { id: args.answerId, modelId } : answer)) ?? null,
    ...laterExpiry(thread, nowMs),
  })
  return { threadId: thread.id, parentId, continueId: message.id, modelId, mode }
}

/** Denies the waiting calls of an answer that another message follows. */
export async function denyWaiting(tx: Tx, { userId, nowMs, writes }: ServerContext, messageId: string | null): Promise<void> {
  // A repeated mutation writes nothing.
  if (messageId === null || writes.length === 0) return
  const waiting = (await waitingIn(tx, messageId)).filter((approval) => approval.userId === userId)
  if (waiting.length === 0) return
  const row = await tx.run(zql.message.where('id', messageId).one())
  if (row?.message.role !== 'assistant') return
  // Also calls that were allowed while another one of the answer waited: they are never made.
  const parts = withoutWaiting(row.message.parts)
  for (const { id } of waiting) await tx.mutate.approval.update({ id, state: 'denied', decidedAt: nowMs })
  await tx.mutate.message.update({ id: messageId, message: { ...row.message, parts }, updatedAt: nowMs })
}

export const renewApprovals = defineServerMutator(renewApprovalsArgs, async ({ tx, args, ctx }) => {
  const thread = await mustFindThread(tx, ctx, args.threadId)
  await mustFindVisible(tx, thread, args.messageId)
  for (const { id, expiresAt } of await waitingIn(tx, args.messageId))
    if (expiresAt <= ctx.nowMs) await tx.mutate.approval.update({ id, expiresAt: ctx.nowMs + approvalLifeMs })
})

export const revokeGrant = defineServerMutator(revokeGrantArgs, async ({ tx, args: { threadId, sourceId, tool }, ctx }) => {
  const thread = await mustFindThread(tx, ctx, threadId)
  for (const { id, isForThread, source, tool: granted } of await tx.run(zql.approval.where('threadId', thread.id)))
    if (isForThread && source.id === sourceId && granted === tool) await tx.mutate.approval.update({ id, isForThread: false })
})

const waitingIn = (tx: Tx, messageId: string): Promise<readonly Approval[]> =>
  tx.run(zql.approval.where('messageId', messageId).where('state', 'pending'))

type JsonValue = Approval['inputSchema'] | InputSchema

type Change = { readonly row: Partial<Approval> & { readonly state: Approval['state'] }; readonly part: Partial<ToolPart> }

/** Refuses input that the tool does not accept, and answers that do not fit the form. */
function decisionOf(approval: Approval, args: DecideApprovalArgs): Change {
  return approval.form == null ? approvalOf(approval, args) : answerOf(approval, approval.form, args)
}

/** An answer and a refusal both allow one call: the server learns of either. */
function answerOf({ id }: Approval, form: readonly InputAsk[], { decision, input, answers }: DecideApprovalArgs): Change {
  const isDeclined = decision === 'deny'
  if (decision === 'thread' || input !== undefined || isDeclined !== (answers === undefined)) throw refuse('invalid_request')
  if (answers && (answers.length !== form.length || !form.every((ask, index) => fitsSchema(schemaOf(ask), answers[index]))))
    throw refuse('input_answer')
  return {
    row: { state: 'allowed', answers: answers ?? null },
    part: { state: 'approval-responded', approval: { id, approved: !isDeclined, isInput: true } },
  }
}

const schemaOf = (ask: InputAsk): JsonValue => ('schema' in ask ? ask.schema : { type: 'object', additionalProperties: false })

function approvalOf({ id, inputSchema }: Approval, { decision, reason, input, answers }: DecideApprovalArgs): Change {
  const state = 'approval-responded'
  if (answers !== undefined) throw refuse('invalid_request')
  if (decision === 'deny') {
    const why = reason?.trim() || null
    const approval = { id, approved: false, ...(why === null ? {} : { reason: why }) }
    return { row: { state: 'denied', reason: why }, part: { state, approval } }
  }
  if (input !== undefined && (inputSchema == null || !fitsSchema(inputSchema, input))) throw refuse('approval_input')
  const changed = input === undefined ? {} : { input }
  return {
    row: { state: 'allowed', isForThread: decision === 'thread', ...changed, ...(input === undefined ? {} : { isChanged: true }) },
    part: { state, ...changed, approval: { id, approved: true, ...(input === undefined ? {} : { isChanged: true }) } },
  }
}

const save = (tx: Tx, message: AnswerMessage, approval: Approval, change: Partial<ToolPart>, nowMs: number): Promise<void> =>
  tx.mutate.message.update({ id: message.id, message: { ...message, parts: withCall(message.parts, approval, change) }, updatedAt: nowMs })

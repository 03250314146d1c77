/**
 * Calls that need the user's approval: what the user is asked, and the calls of the turn that continues the answer after the decisions. Each allowed
 * call is marked as sent in the turn's storage before it is sent, so it is made at most once. After a crash it is asked for again.
 */
import { asSchema, type ModelMessage } from 'ai'
import { maxAllowedResultTokens } from '../../contract/models/context-budget.ts'
import { cutToTokens } from '../../contract/models/token-estimates.ts'
import { isPageRead, isSearch, isToolPart } from '../../contract/models/tools.ts'
import { applyChunk, type StreamChunk } from '../../contract/threads/message-stream.ts'
import type { MessagePart, ToolApproval, ToolPart } from '../../contract/threads/messages.ts'
import { type ApprovalCause, type ApprovalRequest, type DecidedCall, isWaitingCall } from '../../contract/tools/approvals.ts'
import { logger } from '../../lib/logger.ts'
import type { AskedCall } from '../model/call.ts'
import { callsHeading } from '../model/prompt.ts'
import { asJson } from '../model/tool-calls.ts'
import type { Emit } from '../research/research-log.ts'
import { approvalChunk } from '../turn/chunk-writer.ts'
import type { TurnRecord } from '../turn/turn-state.ts'
import { withProgress } from './progress.ts'
import { type Registry, requestOf, type ToolCall } from './registry.ts'
import { failedCall, ToolFailure } from './tool-failure.ts'
import { fileOfImage, type ModelText, quotedName, quoteUntrusted } from './untrusted.ts'

/** The approval to request from the user before the call; null if it needs no approval. */
export async function approvalRequest(
  registry: Registry,
  { toolName, input }: AskedCall,
  messages: readonly ModelMessage[],
): Promise<ApprovalRequest | null> {
  const found = registry.find(toolName)
  if (!found || registry.decide(toolName, messages) === 'run') return null
  return requestOf(found, input, found.tool.isReadOnly ? 'outside' : 'changes')
}

/** Resolves to false if the call must not be made. */
export type MarkCalled = (toolCallId: string) => Promise<boolean>

export type Decisions = { readonly calls: readonly DecidedCall[]; readonly markCalled: MarkCalled }

type Making = {
  readonly registry: Registry
  /** The parts of the continued answer. */
  readonly parts: readonly MessagePart[]
  readonly emit: Emit
  readonly signal: AbortSignal
  /** Called for each call that returned a result. */
  readonly onMade?: (tool: string) => void
}

/** The parts after the calls, and what the calls of this turn returned for the model, by tool call id. */
export type MadeCalls = { readonly parts: readonly MessagePart[]; readonly results: ReadonlyMap<string, ModelText> }

/** Makes the allowed calls one after the other, in the order of the answer. A call that waits for the user in `parts` afterwards is asked for again. */
export async function makeDecidedCalls(
  { calls, markCalled }: Decisions,
  { registry, emit, signal, onMade, ...before }: Making,
): Promise<MadeCalls> {
  let { parts } = before
  const results = new Map<string, ModelText>()
  const write = (chunk: StreamChunk) => {
    emit(chunk)
    parts = applyChunk(parts, chunk)
  }
  for (const call of calls) {
    const { toolCallId, input } = call
    signal.throwIfAborted()
    if (!call.isAllowed) {
      write({ type: 'tool-output-denied', toolCallId })
      continue
    }
    const askAgain = (request: ApprovalRequest) => write(approvalChunk(toolCallId, request))
    try {
      // The name for the model changes with the name of the server.
      const found = [registry.find(call.tool), registry.findDefinition(call)].find((each) => each?.source.id === call.source.id)
      if (!found)
        throw new ToolFailure(
          'tool_unavailable',
          'This tool is not available any more: it was removed, switched off, or changed by its server. Settings, Tools has the reason.',
        )
      if (found.tool.digest !== call.digest) {
        askAgain(await requestOf(found, input, 'tool_changed'))
        continue
      }
      const { validate } = asSchema(found.tool.inputSchema)
      const checked = (await validate?.(input)) ?? { success: true, value: input }
      if (!checked.success) throw new ToolFailure('input_invalid', 'The input does not fit this tool.')
      const mayCall = await markCalled(toolCallId).catch((error: unknown) => {
        logger.error('call_not_marked', error)
        return null
      })
      if (mayCall !== true) {
        // Without the mark the call is not made, and nothing is known about an earlier one.
        askAgain(requestAgain(call, mayCall === null ? 'not_called' : 'call_lost'))
        continue
      }
      const { shown, forModel, asks } = await withProgress(emit, toolCallId, (onProgress) =>
        found.tool.execute(checked.value, { toolCallId, signal, onProgress, ...resumedBy(call) }),
      )
      signal.throwIfAborted()
      if (asks) {
        askAgain({ ...(await requestOf(found, input, 'input')), ...asks })
        continue
      }
      onMade?.(call.tool)
      results.set(toolCallId, bounded(forModel))
      write({ type: 'tool-output-available', toolCallId, output: asJson(shown) })
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof ToolFailure)) logger.error('tool_failed', error)
      write({ type: 'tool-output-error', toolCallId, ...failedCall(error) })
    }
  }
  return { parts, results }
}

/** The quote of the turn counts no more tokens. */
function bounded(result: ModelText): ModelText {
  const text = typeof result === 'string' ? result : result.text
  const cut = cutToTokens(text, maxAllowedResultTokens)
  if (cut.length === text.length) return result
  return typeof result === 'string' ? cut : { ...result, text: `${cut}\n\n[The result goes on; only its beginning is here.]` }
}

const resumedBy = ({ callState, answers }: DecidedCall): Pick<ToolCall, 'resumed'> =>
  callState === undefined ? {} : { resumed: { callState, answers } }

const requestAgain = (
  { id: _id, toolCallId: _call, isAllowed: _isAllowed, ...request }: DecidedCall,
  cause: ApprovalCause,
): ApprovalRequest => ({
  ...request,
  cause,
})

/**
 * After a crash of a turn with decided calls: the chunks that ask again for the allowed calls without a result. Null if each has one, or if the
 * turn has no such calls.
 */
export function askedAgain({ decided = [], called = [] }: TurnRecord, chunks: readonly StreamChunk[]): readonly StreamChunk[] | null {
  const waiting = new Set(
    chunks
      .reduce<readonly MessagePart[]>(applyChunk, [])
      .filter(isWaitingCall)
      .map(({ toolCallId }) => toolCallId),
  )
  const open = decided.filter(({ toolCallId }) => waiting.has(toolCallId))
  if (!open.some(({ isAllowed }) => isAllowed)) return null
  return open.map((call) => {
    const { toolCallId, isAllowed } = call
    if (!isAllowed) return { type: 'tool-output-denied', toolCallId }
    return approvalChunk(toolCallId, requestAgain(call, called.includes(toolCallId) ? 'call_lost' : 'not_called'))
  })
}

/**
 * The calls of an answer for the model that continues it; null without any. Results of the web have their own text (`foundForModel`), except those of
 * this turn. Earlier results are stored as they are shown.
 */
export function callsForModel(mark: string, { parts, results }: MadeCalls): string | null {
  const calls = parts.filter(isToolPart).flatMap((part) => textOfCall(mark, part, results.get(part.toolCallId)) ?? [])
  if (calls.length === 0) return null
  return [callsHeading, ...calls, 'Go on with the answer.'].join('\n\n')
}

/** The images of the results, with the limits of any other call. */
export const imagesOfCalls = ({ results }: MadeCalls) =>
  [...results.values()].flatMap((result) => (typeof result === 'string' ? [] : (result.images ?? []).map(fileOfImage)))

const answeredCall = 'The user answered what the server asked during a call'
const declinedCall = 'The user declined to answer what the server asked during a call'

function madeCall(approval: ToolApproval | undefined): string {
  if (!approval) return 'A call was made'
  return approval.isChanged ? 'The user changed the input of a call and allowed it' : 'The user allowed a call'
}

function textOfCall(mark: string, part: ToolPart, result: ModelText | undefined): string | null {
  const { type, title, source, input = null, output, errorText, approval, state } = part
  const isWeb = isSearch(part) || isPageRead(part)
  const name = title ?? type.slice('tool-'.length)
  const call = `${quotedName(name)}${source ? ` of ${quotedName(source.name)}` : ''} with the input ${JSON.stringify(input).toWellFormed()}`
  const isInput = approval?.isInput === true
  if (state === 'output-denied' && isInput)
    return `- During the call of ${call}, its server asked the user. The user did not answer, so the call was cancelled. Do not try it again unless the user asks for it.`
  if (state === 'output-denied') {
    const reason = approval?.reason ? ` The user's reason: ${JSON.stringify(approval.reason).toWellFormed()}.` : ''
    return `- The user did not allow the call of ${call}. It was not made.${reason} Do not try it again, or the same by another tool, unless the user asks for it.`
  }
  const allowed = isInput ? (approval.approved ? answeredCall : declinedCall) : madeCall(approval)
  if (errorText !== undefined) return isWeb && !approval ? null : `- ${allowed}: ${call}. It failed: ${errorText}`
  if (output === undefined || (isWeb && result === undefined)) return null
  const text = result ?? { from: `the tool ${quotedName(name)}`, text: JSON.stringify(output) }
  return `- ${allowed}: ${call}. The result:\n${typeof text === 'string' ? text : quoteUntrusted(mark, text.from, text.text)}`
}

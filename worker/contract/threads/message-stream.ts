/**
 * The chunks of a live answer, and the reducer that builds the parts of a message from them. The server builds the stored answer with the
 * same reducer as the page, so both show the same.
 * Names and shapes follow the AI SDK's UI message stream. Chunks are numbered from 1.
 */
import type { ReadonlyJSONValue } from '@rocicorp/zero'
import { isToolPart } from '../models/tools.ts'
import type { ApprovalRequest } from '../tools/approvals.ts'
import type { FailedCall } from '../tools/call-failures.ts'
import type { AnswerMetadata, FilePart, MessagePart, ToolApproval, ToolPart, ToolProgress } from './messages.ts'

export type StreamChunk =
  | { readonly type: 'start'; readonly messageId: string; readonly messageMetadata?: Partial<AnswerMetadata> }
  | { readonly type: 'start-step' }
  | { readonly type: 'text-start'; readonly id: string }
  | { readonly type: 'text-delta'; readonly id: string; readonly delta: string }
  /** `reasoningMs`: the text turned out to be reasoning, which took this long. */
  | { readonly type: 'text-end'; readonly id: string; readonly reasoningMs?: number }
  | { readonly type: 'reasoning-start'; readonly id: string }
  | { readonly type: 'reasoning-delta'; readonly id: string; readonly delta: string }
  /** `textStart`: the reasoning turned out to be text, which begins with this. */
  | { readonly type: 'reasoning-end'; readonly id: string; readonly durationMs?: number; readonly textStart?: string }
  | ({ readonly type: 'tool-input-start' } & ToolChunk)
  | ({ readonly type: 'tool-input-available'; readonly input: ReadonlyJSONValue } & ToolChunk)
  | { readonly type: 'tool-output-available'; readonly toolCallId: string; readonly output: ReadonlyJSONValue }
  | ({ readonly type: 'tool-output-error'; readonly toolCallId: string } & FailedCall)
  /** The call waits for the user. `request`: for the row that the ending of the turn inserts; absent in a continued answer. */
  | {
      readonly type: 'tool-approval-request'
      readonly approvalId: string
      readonly toolCallId: string
      readonly isInput?: true
      readonly request?: ApprovalRequest
    }
  | ({ readonly type: 'tool-approval-response'; readonly toolCallId: string; readonly approvalId: string } & Omit<ToolApproval, 'id'>)
  | { readonly type: 'tool-output-denied'; readonly toolCallId: string }
  | ({ readonly type: 'tool-progress'; readonly toolCallId: string } & ToolProgress)
  | { readonly type: 'source-url'; readonly sourceId: string; readonly url: string; readonly title?: string }
  | FilePart
  | { readonly type: 'finish-step' }
  | { readonly type: 'error'; readonly errorText: string }
  | { readonly type: 'finish' }

type ToolChunk = Pick<ToolPart, 'toolCallId' | 'title' | 'source'> & { readonly toolName: string }

type Parts = readonly MessagePart[]
type Prose = 'text' | 'reasoning'

/**
 * Applies one chunk. Total: a chunk that does not apply or has an unknown type changes nothing. Unchanged parts keep their identity, and so
 * does the list if no part changed.
 * At most one text part and one reasoning part are open. Deltas go to the open part, so their ids are not stored.
 */
export function applyChunk(parts: Parts, chunk: StreamChunk): Parts {
  switch (chunk.type) {
    case 'start-step':
      return [...parts, { type: 'step-start' }]
    case 'text-start':
      return open(parts, 'text')
    case 'text-delta':
      return append(parts, 'text', chunk.delta)
    case 'text-end':
      return chunk.reasoningMs === undefined ? close(parts, 'text') : retype(parts, 'text', reasoningOf(chunk.reasoningMs))
    case 'reasoning-start':
      return open(parts, 'reasoning')
    case 'reasoning-delta':
      return append(parts, 'reasoning', chunk.delta)
    case 'reasoning-end':
      return chunk.textStart === undefined
        ? close(parts, 'reasoning', chunk.durationMs)
        : retype(parts, 'reasoning', textOf(chunk.textStart))
    case 'tool-input-start':
    case 'tool-input-available':
      return call(parts, chunk)
    case 'tool-output-available':
      return settle(parts, chunk.toolCallId, { state: 'output-available', output: chunk.output })
    case 'tool-output-error':
      return settle(parts, chunk.toolCallId, { state: 'output-error', errorCode: chunk.errorCode, errorText: chunk.errorText })
    case 'tool-approval-request':
      return ask(parts, chunk.toolCallId, {
        state: 'approval-requested',
        approval: { id: chunk.approvalId, ...(chunk.isInput && { isInput: chunk.isInput }) },
      })
    case 'tool-approval-response': {
      const { type: _type, toolCallId, approvalId: id, ...decision } = chunk
      return ask(parts, toolCallId, { state: 'approval-responded', approval: { id, ...decision } })
    }
    case 'tool-output-denied':
      return settle(parts, chunk.toolCallId, { state: 'output-denied' })
    case 'tool-progress': {
      const { type: _type, toolCallId, ...progress } = chunk
      return report(parts, toolCallId, progress)
    }
    case 'source-url':
    case 'file':
      return [...parts, chunk]
    case 'finish':
      return sealParts(parts)
    default:
      return parts
  }
}

/** A tool call that had no result when the answer ended. */
export const unfinished: FailedCall = { errorCode: 'unfinished', errorText: 'The answer ended before this was done.' }

/** The same for a call that was sent, if sending it twice could do harm. */
export const maybeDone: FailedCall = {
  errorCode: 'maybe_done',
  errorText: 'The answer ended during this call. It may have been carried out.',
}

/** Closes the parts of an ended answer: prose is done, and a tool call without a result becomes an error. */
export function sealParts(parts: Parts): Parts {
  if (!parts.some(isOpen)) return parts
  return parts.map((part) => {
    if (!isOpen(part)) return part
    return isToolPart(part) ? { ...still(part), state: 'output-error', ...unfinished } : { ...part, state: 'done' }
  })
}

/** A call that waits for the user stays open when the answer ends. */
const isOpen = (part: MessagePart): boolean =>
  'state' in part && (part.state === 'streaming' || part.state === 'input-streaming' || isUnsettled(part.state))

const isUnsettled = (state: string | undefined): boolean => state === 'input-available' || state === 'approval-responded'

const openIndex = (parts: Parts, type: Prose): number =>
  parts.findLastIndex((part) => part.type === type && 'state' in part && part.state === 'streaming')

const open = (parts: Parts, type: Prose): Parts => [...close(parts, type), { type, text: '', state: 'streaming' }]

function append(parts: Parts, type: Prose, delta: string): Parts {
  const index = openIndex(parts, type)
  if (index === -1) return [...parts, { type, text: delta, state: 'streaming' }]
  const part = parts[index]
  return part && 'text' in part ? parts.with(index, { ...part, text: part.text + delta }) : parts
}

function close(parts: Parts, type: Prose, durationMs?: number): Parts {
  const index = openIndex(parts, type)
  const part = parts[index]
  if (part?.type === 'text') return parts.with(index, { ...part, state: 'done' })
  if (part?.type === 'reasoning') return parts.with(index, { ...part, state: 'done', ...(durationMs === undefined ? {} : { durationMs }) })
  return parts
}

/** Closes the open part as one of the other type. */
function retype(parts: Parts, type: Prose, as: (text: string) => MessagePart): Parts {
  const index = openIndex(parts, type)
  const part = parts[index]
  return part && 'text' in part ? parts.with(index, as(part.text)) : parts
}

/** White space around the marks of reasoning is not part of it. */
const reasoningOf =
  (durationMs: number) =>
  (text: string): MessagePart => ({ type: 'reasoning', text: text.trim(), state: 'done', durationMs })

const textOf =
  (start: string) =>
  (text: string): MessagePart => ({ type: 'text', text: start + text, state: 'done' })

const toolIndex = (parts: Parts, toolCallId: string): number =>
  parts.findIndex((part) => isToolPart(part) && part.toolCallId === toolCallId)

function call(parts: Parts, chunk: Extract<StreamChunk, { readonly toolName: string }>): Parts {
  const tool: ToolPart = {
    type: `tool-${chunk.toolName}`,
    toolCallId: chunk.toolCallId,
    ...(chunk.title === undefined ? {} : { title: chunk.title }),
    ...(chunk.source === undefined ? {} : { source: chunk.source }),
    ...(chunk.type === 'tool-input-start' ? { state: 'input-streaming' } : { state: 'input-available', input: chunk.input }),
  }
  const index = toolIndex(parts, chunk.toolCallId)
  const known = parts[index]
  if (!known) return [...parts, tool]
  // A call that already has its input keeps its state.
  return isToolPart(known) && known.state === 'input-streaming' ? parts.with(index, tool) : parts
}

/** A call without a result is asked for again after a crash. */
function ask(parts: Parts, toolCallId: string, asked: Pick<ToolPart, 'state' | 'approval'>): Parts {
  const index = toolIndex(parts, toolCallId)
  const part = parts[index]
  if (!part || !isToolPart(part)) return parts
  return isUnsettled(part.state) || part.state === 'approval-requested' ? parts.with(index, { ...still(part), ...asked }) : parts
}

/** Only a call that runs has progress. */
function report(parts: Parts, toolCallId: string, progress: ToolProgress): Parts {
  const index = toolIndex(parts, toolCallId)
  const part = parts[index]
  return part && isToolPart(part) && isUnsettled(part.state) ? parts.with(index, { ...part, progress }) : parts
}

const still = ({ progress: _progress, ...part }: ToolPart): ToolPart => part

function settle(parts: Parts, toolCallId: string, result: Pick<ToolPart, 'state' | 'output' | 'errorCode' | 'errorText'>): Parts {
  const index = toolIndex(parts, toolCallId)
  const part = parts[index]
  return part && isToolPart(part) && isOpen(part) ? parts.with(index, { ...still(part), ...result }) : parts
}

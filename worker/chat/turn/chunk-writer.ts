/**
 * Turns the SDK's parts into our chunks. Keeps track of open blocks, so that every block that began also ends, reasoning is timed, and at most one
 * block of text and one of reasoning is open (the reducer relies on it).
 */
import type { TextStreamPart, ToolSet } from 'ai'
import type { StreamChunk } from '../../contract/threads/message-stream.ts'
import { type MessagePart, openTextIn, type ToolApproval, type ToolSourceName } from '../../contract/threads/messages.ts'
import type { ApprovalRequest } from '../../contract/tools/approvals.ts'
import { madeFileOf, type StoreMadeFile, storedInline } from '../model/made-files.ts'
import { type Retyped, retypedIn } from '../model/thoughts.ts'
import { asJson, ToolCallIds } from '../model/tool-calls.ts'
import type { FilePart, ProviderPart } from '../model/types.ts'
import type { MadeCall } from '../tools/registry.ts'
import { failedCall } from '../tools/tool-failure.ts'
import { isContent } from './settlement.ts'

type Block = {
  readonly id: string
  readonly sinceMs: number
  /** Null for a repeated block, which the model's next block continues. */
  modelId: string | null
  readonly isContinued?: true
}

/** The name of the metadata that carries the key of a deferred file through the SDK. */
const metadataKey = 'parley'

export class ChunkWriter {
  readonly callIds = new ToolCallIds()
  readonly #emit: (chunk: StreamChunk) => void
  readonly #nowMs: () => number
  readonly #storeFile: StoreMadeFile
  readonly #open: { text: Block | null; reasoning: Block | null } = { text: null, reasoning: null }
  /** Files whose placeholder part is in the SDK, by key; null once they are being stored. */
  readonly #deferredFiles = new Map<string, FilePart | null>()
  #blocks = 0
  #files = 0
  /** The step is written with its first content, so a call that fails earlier writes nothing. */
  #step: 'none' | 'announced' | 'begun' = 'none'
  #hasContent = false
  #hasAsked = false

  constructor(emit: (chunk: StreamChunk) => void, nowMs: () => number, storeFile: StoreMadeFile = storedInline) {
    this.#emit = emit
    this.#nowMs = nowMs
    this.#storeFile = storeFile
  }

  /** True once the model has written a word or a file, not only reasoning. */
  get hasContent(): boolean {
    return this.#hasContent
  }

  /** True once a call waits for the user. */
  get hasAsked(): boolean {
    return this.#hasAsked
  }

  /** The call waits for the user. */
  ask(toolCallId: string, request: ApprovalRequest): void {
    this.#hasAsked = true
    this.#content(approvalChunk(toolCallId, request))
  }

  write(part: TextStreamPart<ToolSet>): void {
    switch (part.type) {
      case 'start-step':
        this.#beginStep()
        break
      case 'text-start':
        this.#begin('text', part.id)
        break
      case 'reasoning-start':
        this.#begin('reasoning', part.id)
        break
      case 'text-delta':
        this.#prose('text', part)
        break
      case 'reasoning-delta':
        this.#prose('reasoning', part)
        break
      case 'text-end':
      case 'reasoning-end': {
        const kind = part.type === 'text-end' ? 'text' : 'reasoning'
        if (this.#open[kind]?.modelId === part.id) this.#end(kind, retypedIn(part.providerMetadata))
        break
      }
      case 'finish-step':
        this.finishStep()
        break
      case 'tool-input-start':
        this.#content({ type: 'tool-input-start', toolCallId: part.id, toolName: part.toolName, ...namesOf(part) })
        break
      // A separate part with the error of an invalid call follows.
      case 'tool-call': {
        const { toolCallId, toolName, input } = part
        this.#content({ type: 'tool-input-available', toolCallId, toolName, input: asJson(input), ...namesOf(part) })
        break
      }
      case 'tool-result':
        this.#result(part.toolCallId, part.output as MadeCall)
        break
      case 'tool-error':
        this.#content({ type: 'tool-output-error', toolCallId: part.toolCallId, ...failedCall(part.error) })
        break
      case 'source': {
        if (part.sourceType !== 'url') break
        const { id: sourceId, url, title } = part
        this.#content({ type: 'source-url', sourceId, url, ...(title === undefined ? {} : { title }) })
        break
      }
    }
  }

  /** Keeps a generated file outside the SDK. The returned part contains only its key. */
  deferFile(part: FilePart): ProviderPart {
    const key = String(this.#deferredFiles.size)
    this.#deferredFiles.set(key, part)
    return {
      type: 'file',
      mediaType: 'application/octet-stream',
      data: { type: 'data', data: '' },
      providerMetadata: { [metadataKey]: { key } },
    }
  }

  /** Stores a deferred file and writes its part, unless the call ended before. Skips empty files. */
  async file(metadata: FilePart['providerMetadata'], signal: AbortSignal): Promise<void> {
    const key = String(metadata?.[metadataKey]?.key)
    const made = madeFileOf(this.#deferredFiles.get(key))
    this.#deferredFiles.set(key, null)
    if (made === null) return
    const stored = await this.#storeFile(made, ++this.#files)
    if (!signal.aborted) this.#content(stored)
  }

  /**
   * The chunks of an earlier answer's parts. A text that was cut off stays open, so that the model's next words continue the same sentence; parts
   * after a tool call follow it.
   */
  repeat(parts: readonly MessagePart[]): StreamChunk[] {
    const open = openTextIn(parts)
    return parts.flatMap((part, index) => {
      if (part.type === 'text' && 'text' in part) return this.#repeatProse('text', part.text, index === open)
      if (part.type === 'reasoning' && 'text' in part) return this.#repeatProse('reasoning', part.text, false, part.durationMs)
      if ('toolCallId' in part) this.callIds.take(part.toolCallId)
      if (part.type === 'file') this.#files += 1
      return chunksOf(part)
    })
  }

  #result(toolCallId: string, { shown, request }: MadeCall): void {
    if (request) this.ask(toolCallId, request)
    else this.#content({ type: 'tool-output-available', toolCallId, output: asJson(shown) })
  }

  #beginStep(): void {
    if (this.#step === 'begun') this.finishStep()
    this.#step = 'announced'
  }

  finishStep(): void {
    this.#end('reasoning')
    this.#end('text')
    const step = this.#step
    this.#step = 'none'
    if (step === 'begun') this.#emit({ type: 'finish-step' })
  }

  #repeatProse(kind: 'text' | 'reasoning', text: string, staysOpen: boolean, durationMs?: number): StreamChunk[] {
    const id = String(++this.#blocks)
    const begun: StreamChunk[] = [
      { type: `${kind}-start`, id },
      ...(text === '' ? [] : [{ type: `${kind}-delta` as const, id, delta: text }]),
    ]
    if (!staysOpen) return [...begun, { type: `${kind}-end`, id, ...(durationMs === undefined ? {} : { durationMs }) }]
    this.#open[kind] = { id, modelId: null, sinceMs: this.#nowMs(), isContinued: true }
    return begun
  }

  #prose(kind: 'text' | 'reasoning', { id: modelId, text }: { readonly id: string; readonly text: string }): void {
    if (text === '') return
    if (this.#open[kind]?.modelId !== modelId) this.#begin(kind, modelId)
    const block = this.#open[kind]
    if (block) this.#content({ type: `${kind}-delta`, id: block.id, delta: text })
  }

  #begin(kind: 'text' | 'reasoning', modelId: string): void {
    const open = this.#open[kind]
    if (open?.modelId === null) {
      open.modelId = modelId
      return
    }
    this.#end(kind)
    const block = { id: String(++this.#blocks), modelId, sinceMs: this.#nowMs() }
    this.#open[kind] = block
    this.#content({ type: `${kind}-start`, id: block.id })
  }

  #end(kind: 'text' | 'reasoning', retyped: Retyped | null = null): void {
    const block = this.#open[kind]
    if (!block) return
    this.#open[kind] = null
    const { id, isContinued } = block
    const durationMs = this.#nowMs() - block.sinceMs
    if (kind === 'text') {
      // The text of an earlier answer, which the model continued, stays.
      const wasReasoning = retyped !== null && 'wasReasoning' in retyped && !isContinued
      this.#emit({ type: 'text-end', id, ...(wasReasoning ? { reasoningMs: durationMs } : {}) })
    } else {
      const textStart = retyped !== null && 'wasText' in retyped ? { textStart: retyped.wasText } : {}
      this.#content({ type: 'reasoning-end', id, durationMs, ...textStart })
    }
  }

  #content(chunk: StreamChunk): void {
    if (this.#step === 'announced') this.#emit({ type: 'start-step' })
    this.#step = 'begun'
    this.#hasContent ||= isContent(chunk)
    this.#emit(chunk)
  }
}

/** The title and the source of a tool: `toolRegistry` puts them into the parts. */
function namesOf({ title, toolMetadata }: { readonly title?: string; readonly toolMetadata?: Readonly<Record<string, unknown>> }) {
  const source = toolMetadata?.source as ToolSourceName | undefined
  return { ...(title === undefined ? {} : { title }), ...(source === undefined ? {} : { source }) }
}

/** The chunks of a part that is not prose. */
function chunksOf(part: MessagePart): StreamChunk[] {
  if (part.type === 'step-start') return [{ type: 'start-step' }]
  if (part.type === 'source-url' && 'sourceId' in part) return [part]
  if (part.type === 'file' && 'url' in part) return [part]
  if (!('toolCallId' in part)) return []
  const { toolCallId, input = null, output, errorText, errorCode, title, source, approval, state } = part
  const names = { ...(title === undefined ? {} : { title }), ...(source === undefined ? {} : { source }) }
  const call: StreamChunk = { type: 'tool-input-available', toolCallId, toolName: part.type.slice('tool-'.length), input, ...names }
  const decided: StreamChunk[] = approval ? decisionChunks(toolCallId, approval) : []
  if (output !== undefined) return [call, ...decided, { type: 'tool-output-available', toolCallId, output }]
  if (errorText !== undefined && errorCode !== undefined)
    return [call, ...decided, { type: 'tool-output-error', toolCallId, errorCode, errorText }]
  return [call, ...decided, ...(state === 'output-denied' ? [{ type: 'tool-output-denied' as const, toolCallId }] : [])]
}

function decisionChunks(toolCallId: string, { id: approvalId, approved, ...decision }: ToolApproval): StreamChunk[] {
  const { isInput } = decision
  const asked: StreamChunk = { type: 'tool-approval-request', approvalId, toolCallId, ...(isInput && { isInput }) }
  return approved === undefined ? [asked] : [asked, { type: 'tool-approval-response', approvalId, toolCallId, approved, ...decision }]
}

/** Asks for a call, also again after a crash. */
export const approvalChunk = (toolCallId: string, request: ApprovalRequest): StreamChunk => ({
  type: 'tool-approval-request',
  approvalId: crypto.randomUUID(),
  toolCallId,
  ...(request.form && { isInput: true }),
  request,
})

/**
 * From what a model says to our chunks. Prose comes straight from the vendor, the rest by way of the SDK, which runs the tools. Holds what is
 * open, so that every block that was begun is ended, reasoning is timed where it is read, and of each kind of prose at most one block is open
 * (the reducer relies on it).
 */
import type { ReadonlyJSONValue } from '@rocicorp/zero'
import type { TextStreamPart, ToolSet } from 'ai'
import type { StreamChunk } from '../contract/message-stream.ts'
import { type MessagePart, openTextIn } from '../contract/messages.ts'
import { isContent } from './finalize.ts'
import { type KeepFile, keptInline } from './keep-file.ts'
import { madeFileOf, printOf } from './made-file.ts'
import { maxJsonLevels } from './models/bounded-answers.ts'
import type { ProsePart } from './models/vendor-model.ts'
import { ToolCallIds } from './tool-call-ids.ts'
import { toolErrorText } from './tools/tool-failure.ts'
import { shownOutput } from './tools/turn-web.ts'

type Block = {
  readonly id: string
  readonly sinceMs: number
  /** Null: begun by us, taken over by the model's next block. */
  modelId: string | null
}

export class ChunkWriter {
  readonly #emit: (chunk: StreamChunk) => void
  readonly #nowMs: () => number
  readonly #keep: KeepFile
  readonly #open: { text: Block | null; reasoning: Block | null } = { text: null, reasoning: null }
  readonly #callIds = new ToolCallIds()
  #blocks = 0
  #files = 0
  /** Of the file before: a connection that repeats its events brings it twice. */
  #lastPrint: string | null = null
  /** A step is announced with its first content: a call that fails before saying anything leaves no trace, so it can be repeated. */
  #step: 'none' | 'announced' | 'begun' = 'none'
  #begun = false
  #said = false

  constructor(emit: (chunk: StreamChunk) => void, nowMs: () => number, keep: KeepFile = keptInline) {
    this.#emit = emit
    this.#nowMs = nowMs
    this.#keep = keep
  }

  /** Whether the model has made anything that a reader may have seen. */
  get begun(): boolean {
    return this.#begun
  }

  /** Whether some of it was worth the wait: a word, not only thoughts. */
  get said(): boolean {
    return this.#said
  }

  /** The model begins to answer, or goes on after tools were used. */
  beginStep(): void {
    if (this.#step === 'begun') this.finishStep()
    this.#step = 'announced'
  }

  prose(part: ProsePart): void {
    switch (part.type) {
      case 'text-start':
        this.#begin('text', part.id)
        break
      case 'reasoning-start':
        this.#begin('reasoning', part.id)
        break
      case 'text-delta':
        this.#delta('text', part.id, part.delta)
        break
      case 'reasoning-delta':
        this.#delta('reasoning', part.id, part.delta)
        break
      case 'text-end':
        this.#endOf('text', part.id)
        break
      case 'reasoning-end':
        this.#endOf('reasoning', part.id)
        break
    }
  }

  /** Everything that is neither prose nor a file: tools and sources. */
  write(part: TextStreamPart<ToolSet>): void {
    const chunk = chunkOf(part, this.#callIds)
    if (chunk) this.#content(chunk)
  }

  /** Resolves when it is kept, and what came after it may be said. Nobody hears of one whose call is over by then. */
  async file(part: unknown, isOver: () => boolean): Promise<void> {
    const made = madeFileOf(part)
    if (made === null) return
    const print = printOf(made)
    if (print !== null && print === this.#lastPrint) return
    this.#lastPrint = print
    const kept = await this.#keep(made, ++this.#files)
    if (!isOver()) this.#content(kept)
  }

  /**
   * The chunks of an earlier answer's parts. A text that it broke off in stays open, so that what the model adds continues the same
   * sentence; what follows from a tool stands behind it.
   */
  repeat(parts: readonly MessagePart[]): StreamChunk[] {
    const open = openTextIn(parts)
    return parts.flatMap((part, index) => {
      if (part.type === 'text' && 'text' in part) return this.#repeatProse('text', part.text, index === open)
      if (part.type === 'reasoning' && 'text' in part) return this.#repeatProse('reasoning', part.text, false, part.durationMs)
      if ('toolCallId' in part) this.#callIds.take(part.toolCallId)
      if (part.type === 'file') this.#files += 1
      return chunksOf(part)
    })
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
    this.#open[kind] = { id, modelId: null, sinceMs: this.#nowMs() }
    return begun
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

  #delta(kind: 'text' | 'reasoning', modelId: string, delta: string): void {
    if (delta === '') return
    if (this.#open[kind]?.modelId !== modelId) this.#begin(kind, modelId)
    const block = this.#open[kind]
    if (block) this.#content({ type: `${kind}-delta`, id: block.id, delta })
  }

  #endOf(kind: 'text' | 'reasoning', modelId: string): void {
    if (this.#open[kind]?.modelId === modelId) this.#end(kind)
  }

  #end(kind: 'text' | 'reasoning'): void {
    const block = this.#open[kind]
    if (!block) return
    this.#open[kind] = null
    if (kind === 'text') this.#emit({ type: 'text-end', id: block.id })
    else this.#emit({ type: 'reasoning-end', id: block.id, durationMs: this.#nowMs() - block.sinceMs })
  }

  #content(chunk: StreamChunk): void {
    if (this.#step === 'announced') this.#emit({ type: 'start-step' })
    this.#step = 'begun'
    this.#begun = true
    this.#said ||= isContent(chunk)
    this.#emit(chunk)
  }
}

/** What stands for itself. Null for the SDK's bookkeeping, and for kinds of content that we do not show. */
function chunkOf(part: TextStreamPart<ToolSet>, ids: ToolCallIds): StreamChunk | null {
  switch (part.type) {
    case 'tool-input-start':
      return { type: 'tool-input-start', toolCallId: ids.begun(part.id), toolName: part.toolName }
    case 'tool-call':
      return { type: 'tool-input-available', toolCallId: ids.called(part.toolCallId), toolName: part.toolName, input: asJson(part.input) }
    case 'tool-result':
      return { type: 'tool-output-available', toolCallId: ids.answered(part.toolCallId), output: asJson(shownOutput(part.output)) }
    case 'tool-error':
      return { type: 'tool-output-error', toolCallId: ids.answered(part.toolCallId), errorText: toolErrorText(part.error) }
    case 'source':
      if (part.sourceType !== 'url') return null
      return { type: 'source-url', sourceId: part.id, url: part.url, ...(part.title === undefined ? {} : { title: part.title }) }
    default:
      return null
  }
}

/** The chunks of a part that is not prose. */
function chunksOf(part: MessagePart): StreamChunk[] {
  if (part.type === 'step-start') return [{ type: 'start-step' }]
  if (part.type === 'source-url' && 'sourceId' in part) return [part]
  if (part.type === 'file' && 'url' in part) return [part]
  if (!('toolCallId' in part)) return []
  const { toolCallId, input = null, output, errorText } = part
  const call: StreamChunk = { type: 'tool-input-available', toolCallId, toolName: part.type.slice('tool-'.length), input }
  if (output !== undefined) return [call, { type: 'tool-output-available', toolCallId, output }]
  return errorText === undefined ? [call] : [call, { type: 'tool-output-error', toolCallId, errorText }]
}

/** What came from a model or a tool as JSON stays JSON; the SDK only types it as unknown. */
const asJson = (value: unknown): ReadonlyJSONValue =>
  value === undefined || hasMoreLevels(value, maxJsonLevels) ? null : (value as ReadonlyJSONValue)

const hasMoreLevels = (value: unknown, levels: number): boolean =>
  typeof value === 'object' && value !== null && (levels === 0 || Object.values(value).some((inner) => hasMoreLevels(inner, levels - 1)))

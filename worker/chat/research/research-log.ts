/**
 * The completed calls of a research. They are read from the parts of its answer alone, so a research that continues, in the same object or in
 * another answer, repeats none of them.
 */
import type { ReadonlyJSONValue } from '@rocicorp/zero'
import { maxResearchResumes } from '../../contract/limits.ts'
import { isToolPart } from '../../contract/models/tools.ts'
import { applyChunk, type StreamChunk } from '../../contract/threads/message-stream.ts'
import type { MessagePart, ToolPart } from '../../contract/threads/messages.ts'
import { failedCall, ToolFailure } from '../tools/tool-failure.ts'

export type Emit = (chunk: StreamChunk) => void

type Call = { readonly id: string; readonly tool: string; readonly input: { readonly [name: string]: string } }

export class ResearchLog {
  readonly #emit: Emit
  #parts: readonly MessagePart[]

  constructor(parts: readonly MessagePart[], emit: Emit) {
    this.#parts = parts
    this.#emit = emit
  }

  get parts(): readonly MessagePart[] {
    return this.#parts
  }

  call(id: string): ToolPart | undefined {
    return this.#parts.filter(isToolPart).find((part) => part.toolCallId === id)
  }

  /**
   * Runs a call that has no result yet and writes its start and its result, which is stored before it is used. Null if the call failed, now or
   * before, or was stopped.
   */
  async once<T>(
    { id, tool, input }: Call,
    work: () => Promise<{ readonly value: T; readonly shown: ReadonlyJSONValue }>,
    signal: AbortSignal,
  ) {
    if (signal.aborted || this.call(id)?.state === 'output-error') return null
    this.#write({ type: 'tool-input-available', toolCallId: id, toolName: tool, input })
    try {
      const { value, shown } = await work()
      if (signal.aborted) return null
      this.#write({ type: 'tool-output-available', toolCallId: id, output: shown })
      return value
    } catch (error) {
      if (signal.aborted) return null
      if (!(error instanceof ToolFailure)) throw error
      this.#write({ type: 'tool-output-error', toolCallId: id, ...failedCall(error) })
      return null
    }
  }

  #write(chunk: StreamChunk): void {
    this.#parts = applyChunk(this.#parts, chunk)
    this.#emit(chunk)
  }
}

/** The parts of a research to continue after a restart; null after too many restarts. */
export function resumedParts(chunks: readonly StreamChunk[]): readonly MessagePart[] | null {
  if (chunks.filter(({ type }) => type === 'start').length > maxResearchResumes) return null
  return chunks.reduce<readonly MessagePart[]>(applyChunk, [])
}

/** The successful parts, for another answer that continues this research. Failed calls may be tried again there. */
export const successfulParts = (parts: readonly MessagePart[]): readonly MessagePart[] =>
  parts.filter((part) => !isToolPart(part) || part.state === 'output-available')

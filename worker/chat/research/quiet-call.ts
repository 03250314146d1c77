/** A model call that returns its text at the end instead of streaming it, with the time limits and failures of any other call. */
import type { StreamChunk } from '../../contract/message-stream.ts'
import { type ModelCall, type Outcome, type RunHost, runModel } from '../model/call.ts'
import { UnreadableModelError } from '../model/errors.ts'
import { ChunkWriter } from '../turn/chunk-writer.ts'
import { maxAnswerBytes } from '../turn/settlement.ts'

export type Said = { readonly text: string } | { readonly outcome: Outcome }

/** Partial text is used: notes and plans are short and begin with the most important. */
const cuts: ReadonlySet<string> = new Set(['model_length', 'model_filtered'])

/** Always without tools. */
export async function quietCall(call: Omit<ModelCall, 'tools'>, host: RunHost): Promise<Said> {
  let text = ''
  let chars = 0
  const keep = (chunk: StreamChunk) => {
    if ('delta' in chunk) chars += chunk.delta.length
    // Bounded like an answer.
    if (chars > maxAnswerBytes) throw new UnreadableModelError('the text has no end')
    if (chunk.type === 'text-delta') text += chunk.delta
  }
  const outcome = await runModel({ ...call, tools: null }, { ...host, writer: new ChunkWriter(keep, host.nowMs) })
  const isWhole = outcome.ending === 'completed' || (cuts.has(outcome.failure.code) && text.trim() !== '')
  return isWhole ? { text: text.trim() } : { outcome }
}

/** A model call whose words nobody reads as they come: with the patience and the failures of any other, and its text at the end. */
import type { StreamChunk } from '../../contract/message-stream.ts'
import { ChunkWriter } from '../chunk-writer.ts'
import { maxAnswerBytes } from '../finalize.ts'
import { UnreadableModelError } from '../model-errors.ts'
import { type ModelCall, type Outcome, type RunHost, runModel } from '../run.ts'

export type Said = { readonly text: string } | { readonly outcome: Outcome }

/** What was written before is of use: notes and plans are short, and say the most important first. */
const cuts: ReadonlySet<string> = new Set(['model_length', 'model_filtered'])

/** Without tools, whatever `call` holds besides. */
export async function quietCall(call: Omit<ModelCall, 'tools'>, host: RunHost): Promise<Said> {
  let text = ''
  let chars = 0
  const keep = (chunk: StreamChunk) => {
    if ('delta' in chunk) chars += chunk.delta.length
    // An answer is cut where its row is full; what is read on and never shown ends with it.
    if (chars > maxAnswerBytes) throw new UnreadableModelError('the text has no end')
    if (chunk.type === 'text-delta') text += chunk.delta
  }
  const outcome = await runModel({ ...call, tools: null }, { ...host, writer: new ChunkWriter(keep, host.nowMs) })
  const isWhole = outcome.ending === 'completed' || (cuts.has(outcome.failure.code) && text.trim() !== '')
  return isWhole ? { text: text.trim() } : { outcome }
}

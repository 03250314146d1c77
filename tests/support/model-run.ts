// A model call as in a turn, without the object: returns the final state of a reader.

import { type ModelCall, type Outcome, runModel } from '../../worker/chat/model/call.ts'
import { toolRegistry } from '../../worker/chat/tools/registry.ts'
import type { SearchProvider } from '../../worker/chat/tools/search-provider.ts'
import type { TurnContext } from '../../worker/chat/tools/turn-web.ts'
import { webTools } from '../../worker/chat/tools/web-source.ts'
import { ChunkWriter } from '../../worker/chat/turn/chunk-writer.ts'
import { applyChunk } from '../../worker/contract/threads/message-stream.ts'
import type { MessagePart } from '../../worker/contract/threads/messages.ts'
import { standIn } from '../../worker/dev/stand-in-search.ts'

export type ModelResult = { readonly outcome: Outcome; readonly parts: readonly MessagePart[] }

export async function answerTo(
  question: string,
  call: Omit<ModelCall, 'instructions' | 'messages'>,
  { maxRetries = 0 } = {},
): Promise<ModelResult> {
  let parts: readonly MessagePart[] = []
  const writer = new ChunkWriter((chunk) => {
    parts = applyChunk(parts, chunk)
  }, Date.now)
  const outcome = await runModel(
    { instructions: 'Be brief.', messages: [{ role: 'user', content: question }], ...call },
    { writer, signal: new AbortController().signal, nowMs: Date.now, maxRetries },
  )
  writer.finishStep()
  return { outcome, parts }
}

/** The tools of a turn with this question; the stand-in search answers. */
export const searchTools = (question: string) =>
  webToolSet({ history: [{ id: 'q', role: 'user', parts: [{ type: 'text', text: question }] }] })

/** The web alone as the tools of a turn. `origins`: of the text in its context. */
export const webToolSet = (context: TurnContext, provider: SearchProvider = standIn(0), origins: readonly string[] = []) =>
  toolRegistry([webTools(context, provider)], { mark: 'data-mark', origins, grants: [] }).tools

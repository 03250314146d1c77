// The gateway for a generation under test after `reachGateway`: its requests, and what was stored at that time.
import { vi } from 'vitest'

/** True if the object has stored any part of the answer. */
export const isStored = ({ storage }: DurableObjectState): boolean =>
  storage.sql.exec("select 1 from sqlite_master where name in ('turn', 'segment')").toArray().length > 0

export type Asked = { readonly isStored: boolean; readonly signal: AbortSignal | null }

/** Replaces `fetch` until it is unstubbed. A question gets `answer`, which receives the number of calls; a title never arrives. */
export function stubProvider(state: DurableObjectState, answer: (call: number) => Promise<Response>, asked: Asked[] = []): Asked[] {
  vi.stubGlobal('fetch', (_input: unknown, init?: RequestInit) => {
    if (new Headers(init?.headers).get('ai-language-model-streaming') !== 'true') return new Promise(() => undefined)
    asked.push({ isStored: isStored(state), signal: init?.signal ?? null })
    return answer(asked.length)
  })
  return asked
}

/** `inputTokens`: as the provider counts them. */
export const saying = (text: string, providerMetadata?: object, inputTokens?: object): Response =>
  streaming(
    [
      { type: 'text-start', id: 't' },
      { type: 'text-delta', id: 't', delta: text },
      { type: 'text-end', id: 't' },
    ],
    'stop',
    providerMetadata,
    inputTokens,
  )

/** A response that calls a tool. `input`: the JSON written by the model. */
export const calling = (toolName: string, input: string, inputTokens?: object): Response =>
  streaming([{ type: 'tool-call', toolCallId: 'call', toolName, input }], 'tool-calls', undefined, inputTokens)

function streaming(
  content: readonly object[],
  reason: 'stop' | 'tool-calls',
  providerMetadata?: object,
  inputTokens: object = { total: 1 },
): Response {
  const usage = { inputTokens, outputTokens: { total: 1 } }
  const parts = [...content, { type: 'finish', finishReason: { unified: reason, raw: reason }, usage, providerMetadata }]
  return new Response(parts.map((part) => `data: ${JSON.stringify(part)}\n\n`).join(''), {
    headers: { 'content-type': 'text/event-stream' },
  })
}

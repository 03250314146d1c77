// The gateway as a generation under test finds it once it was told to `reachGateway`: what it was asked, and what was stored by then.
import { vi } from 'vitest'

/** Anything of an answer, by the object that writes it. */
export const isStored = ({ storage }: DurableObjectState): boolean =>
  storage.sql.exec("select 1 from sqlite_master where name in ('turn', 'segment')").toArray().length > 0

export type Asked = { readonly isStored: boolean; readonly signal: AbortSignal | null }

/** Takes the place of `fetch` until that is unstubbed. A question is answered with `answer`, which learns how many there were; a title never comes. */
export function vendor(state: DurableObjectState, answer: (call: number) => Promise<Response>, asked: Asked[] = []): Asked[] {
  vi.stubGlobal('fetch', (_input: unknown, init?: RequestInit) => {
    if (new Headers(init?.headers).get('ai-language-model-streaming') !== 'true') return new Promise(() => undefined)
    asked.push({ isStored: isStored(state), signal: init?.signal ?? null })
    return answer(asked.length)
  })
  return asked
}

export const saying = (text: string): Response =>
  streaming(
    [
      { type: 'text-start', id: 't' },
      { type: 'text-delta', id: 't', delta: text },
      { type: 'text-end', id: 't' },
    ],
    'stop',
  )

/** Calls a tool. `input`: the JSON that the model wrote. */
export const calling = (toolName: string, input: string): Response =>
  streaming([{ type: 'tool-call', toolCallId: 'call', toolName, input }], 'tool-calls')

function streaming(said: readonly object[], reason: 'stop' | 'tool-calls'): Response {
  const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }
  const parts = [...said, { type: 'finish', finishReason: { unified: reason, raw: reason }, usage }]
  return new Response(parts.map((part) => `data: ${JSON.stringify(part)}\n\n`).join(''), {
    headers: { 'content-type': 'text/event-stream' },
  })
}

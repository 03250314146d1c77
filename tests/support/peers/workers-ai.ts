/** Replaces Cloudflare's Workers AI binding. */
import { isRecord } from '../../../worker/contract/is-record.ts'

/** The codes of the binding for a status (https://developers.cloudflare.com/workers-ai/platform/errors/). Other errors have no code. */
const errorCodes: { readonly [status: number]: number } = { 400: 5004, 401: 5018, 402: 3036, 403: 5018, 404: 3042, 429: 3040 }

/** Sends each request to a peer of the OpenAI protocol: newer models behind the binding stream its events. */
export function bindingTo(url: string): Ai {
  const run = async (
    model: string,
    inputs: Record<string, unknown>,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<unknown> => {
    const response = await fetch(`${url}/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ model, ...inputs }),
      signal: signal ?? null,
    })
    if (response.ok) return response.headers.get('content-type') === 'application/json' ? response.json() : response.body
    const { error }: { error?: unknown } = JSON.parse(await response.text())
    const message = isRecord(error) ? String(error.message) : ''
    const code = errorCodes[response.status]
    throw new Error(code === undefined ? message : `${code}: ${message}`)
  }
  // The provider calls only this method of the binding.
  return { run } as unknown as Ai
}

export type AskedOfBinding = { readonly name: string; readonly inputs: Record<string, unknown> }

/** Records requests, and streams a response in the format of older models. `usage`: in the last event, in Cloudflare's format. */
export function workersAiBinding(
  words: readonly string[],
  usage: object | null = null,
): { readonly binding: Ai; readonly asked: readonly AskedOfBinding[] } {
  const asked: AskedOfBinding[] = []
  const run = async (name: string, inputs: Record<string, unknown>): Promise<unknown> => {
    asked.push({ name, inputs })
    if (inputs.stream !== true) return { response: words.join(''), ...(usage && { usage }) }
    const last = usage ? [JSON.stringify({ response: '', usage })] : []
    const events = [...words.map((response) => JSON.stringify({ response })), ...last, '[DONE]']
    return new Response(events.map((event) => `data: ${event}\n\n`).join('')).body
  }
  // The provider calls only this method of the binding.
  return { binding: { run } as unknown as Ai, asked }
}

/**
 * A model behind the gateway. The gateway's stream is the SDK's own parts as JSON, so a call that needs nothing else of the SDK hears them
 * where they leave the connection: the SDK's five streams in between cost as much CPU as all the rest of a word's way.
 * Address, key, body and refusals of a call stay the SDK's.
 */
import { createGateway } from '@ai-sdk/gateway'
import type { Settings } from '../../env.ts'
import { UnreadableModelError } from '../failures.ts'
import type { CallOptions, Listen, VendorModel, VendorPart } from './vendor-model.ts'

type Gateway = NonNullable<Settings['gateway']>

export function gatewayModel({ apiKey, url }: Gateway, slug: string, send: typeof fetch): VendorModel {
  const connect = (by: typeof fetch): VendorModel => createGateway({ apiKey, fetch: by, ...(url ? { baseURL: url } : {}) })(slug)
  const listen: Listen = async (options, began, heard) => {
    const body = await openStream(connect, send, options)
    began()
    for await (const data of eventData(body)) if (data !== '[DONE]' && !heard(partOf(data))) return
  }
  return Object.assign(connect(send), { listen })
}

/** What the vendor answers; whatever it refuses is thrown as the SDK throws it. */
async function openStream(
  connect: (by: typeof fetch) => VendorModel,
  send: typeof fetch,
  options: CallOptions,
): Promise<ReadableStream<Uint8Array>> {
  let body: ReadableStream<Uint8Array> | null = null
  const model = connect(async (input, init) => {
    const response = await send(input, init)
    if (!response.ok || !response.body) return response
    body = response.body
    // The SDK finds a stream without anything in it.
    return new Response('')
  })
  const { stream } = await model.doStream(options)
  await stream.cancel()
  if (!body) throw new UnreadableModelError('the answer has no body')
  return body
}

function partOf(data: string): VendorPart {
  try {
    const part: unknown = JSON.parse(data)
    if (typeof part === 'object' && part !== null && 'type' in part) return part as VendorPart
  } catch {
    // Not JSON, or not all of it.
  }
  throw new UnreadableModelError('an event is no part of an answer')
}

/** The data of server-sent events; one that was cut off is none. */
export async function* eventData(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  let data: string | null = null
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const lines = (rest + decoder.decode(value, { stream: true })).split(/\r\n|\n|\r(?!$)/)
      rest = lines.pop() ?? ''
      for (const line of lines) {
        if (line === '') {
          if (data !== null) yield data
          data = null
        } else if (line.startsWith('data:')) {
          const said = line.slice(line[5] === ' ' ? 6 : 5)
          data = data === null ? said : `${data}\n${said}`
        }
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

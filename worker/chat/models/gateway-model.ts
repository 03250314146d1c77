/**
 * A model behind the gateway. The gateway's stream is the SDK's own parts as JSON, so they are heard where they leave the connection: the SDK's
 * five streams in between cost as much CPU as all the rest of a word's way, and stumble over an event that is none.
 * Address, key, body and refusals of a call stay the SDK's.
 */
import { createGateway } from '@ai-sdk/gateway'
import type { Settings } from '../../env.ts'
import { UnreadableModelError } from '../model-errors.ts'
import { boundedModel, boundedRefusal, isStream, refusalIn } from './bounded-answers.ts'
import { checkedPart } from './checked-part.ts'
import { readEventData } from './event-data.ts'
import { streamHeard } from './heard-stream.ts'
import { HeldEvent, type Waiting } from './held-events.ts'
import type { CallOptions, GoesOn, Listen, VendorModel, VendorPart } from './vendor-model.ts'

type Gateway = NonNullable<Settings['gateway']>

export function gatewayModel({ apiKey, url }: Gateway, slug: string, send: typeof fetch): VendorModel {
  const connect = (by: typeof fetch): VendorModel => createGateway({ apiKey, fetch: by, ...(url ? { baseURL: url } : {}) })(slug)
  const waiting: Waiting = { atMs: 0 }
  const listen: Listen = async (options, began, heard) => {
    const body = await openStream(connect, send, options)
    began()
    let isOver = false
    let isStrange = false
    const tell = (part: VendorPart | null): GoesOn => {
      isStrange ||= part === null
      isOver ||= part?.type === 'finish'
      return part === null || heard(part)
    }
    await readEventData(body, (data) => data === '[DONE]' || tell(partOf(data)), new HeldEvent(waiting))
    // Whoever speaks another language to its end would say the same once more.
    if (isStrange && !isOver) throw new UnreadableModelError('the answer is in no kind that is known')
  }
  return Object.assign(boundedModel(connect, send, waiting), { listen, doStream: streamHeard(listen) })
}

/**
 * What the vendor answers; whatever it refuses is thrown as the SDK throws it. Of an answer that we read ourselves the SDK hears nothing: it
 * would build its streams around it, which is work while the first word is waiting. Nothing keeps its call once it is forgotten.
 */
function openStream(
  connect: (by: typeof fetch) => VendorModel,
  send: typeof fetch,
  options: CallOptions,
): Promise<ReadableStream<Uint8Array>> {
  const opened = Promise.withResolvers<ReadableStream<Uint8Array>>()
  const model = connect(async (input, init) => {
    const answer = await send(input, init)
    const response = answer.ok && !isStream(answer) ? await refusalIn(answer) : answer
    if (!response.ok || !response.body) return boundedRefusal(response)
    opened.resolve(response.body)
    return new Promise<never>(() => undefined)
  })
  const refused = model.doStream(options).then((): never => {
    throw new UnreadableModelError('the answer has no body')
  })
  return Promise.race([opened.promise, refused])
}

function partOf(data: string): VendorPart | null {
  let said: unknown
  try {
    said = JSON.parse(data)
  } catch {
    // Not JSON, or not all of it.
  }
  return checkedPart(said)
}

/**
 * One call of a model that may use no tools, read where it leaves the vendor's connection. Nothing loops in such a call, so the SDK's
 * machinery of steps has nothing to do in it, and costs about 3 ms of CPU before the question is on its way.
 */
import type { ModelMessage } from 'ai'
import { ModelStreamError } from './failures.ts'
import { boundedAsides } from './models/bounded-answers.ts'
import { isProse, type Listener } from './models/early-words.ts'
import type { CallOptions, VendorModel, VendorPart } from './models/vendor-model.ts'

export type Source = Extract<VendorPart, { readonly type: 'source' }>

export type PlainListener = Listener & {
  source(part: Source): void
  file(url: string, mediaType: string): void
}

export type Finish = { readonly reason: string; readonly raw: string | undefined }

/** Null for a conversation that holds more than words: files have to be fetched and converted, which the SDK does. */
export function plainPrompt(instructions: string, messages: readonly ModelMessage[]): CallOptions['prompt'] | null {
  const prompt: CallOptions['prompt'] = [{ role: 'system', content: instructions }]
  for (const { role, content } of messages) {
    if (typeof content !== 'string' || (role !== 'user' && role !== 'assistant')) return null
    prompt.push({ role, content: [{ type: 'text', text: content }] })
  }
  return prompt
}

/** How the model says it finished; null when its stream ended without a word about that. */
export async function callPlainly(model: VendorModel, options: CallOptions, listener: PlainListener): Promise<Finish | null> {
  let finish: Finish | null = null
  const countAside = boundedAsides()
  const began = () => listener.began()
  const heard = (part: VendorPart): boolean => {
    if (options.abortSignal?.aborted) return false
    listener.heard()
    if (isProse(part)) {
      listener.prose(part)
      return true
    }
    countAside(part)
    if (part.type === 'error') throw part.error instanceof Error ? part.error : new ModelStreamError(part.error)
    else if (part.type === 'finish') finish = { reason: part.finishReason.unified, raw: part.finishReason.raw }
    else if (part.type === 'source') listener.source(part)
    else if (part.type === 'file') listener.file(urlOf(part), part.mediaType)
    return true
  }
  await (model.listen ? model.listen(options, began, heard) : listenByStream(model, options, began, heard))
  return options.abortSignal?.aborted ? null : finish
}

async function listenByStream(
  model: VendorModel,
  options: CallOptions,
  began: () => void,
  heard: (part: VendorPart) => boolean,
): Promise<void> {
  const { stream } = await model.doStream(options)
  began()
  for await (const part of stream) if (!heard(part)) return
}

function urlOf({ mediaType, data }: Extract<VendorPart, { type: 'file' }>): string {
  if (data.type === 'url') return data.url.href
  const base64 = typeof data.data === 'string' ? data.data : btoa(Array.from(data.data, (byte) => String.fromCharCode(byte)).join(''))
  return `data:${mediaType};base64,${base64}`
}

/**
 * One call of a model that may use no tools, read where it leaves the vendor's connection. Nothing loops in such a call, so the SDK's
 * machinery of steps has nothing to do in it, and costs about 3 ms of CPU before the question is on its way.
 */
import type { ModelMessage } from 'ai'
import type { Finish } from './finish-reasons.ts'
import { streamError } from './model-errors.ts'
import { boundedAsides } from './models/bounded-answers.ts'
import { isProse, type Listener } from './models/early-words.ts'
import { unmarkedThoughts } from './models/hidden-thoughts.ts'
import { thoughtsApart } from './models/thoughts-apart.ts'
import type { CallOptions, GoesOn, VendorModel, VendorPart } from './models/vendor-model.ts'

export type Source = Extract<VendorPart, { readonly type: 'source' }>

export type PlainListener = Listener & { source(part: Source): void }

/** Null for a conversation that holds more than words: files have to be fetched and converted, which the SDK does. */
export function plainPrompt(instructions: string, messages: readonly ModelMessage[]): CallOptions['prompt'] | null {
  const prompt: CallOptions['prompt'] = [{ role: 'system', content: instructions }]
  for (const { role, content } of messages) {
    if (typeof content !== 'string' || (role !== 'user' && role !== 'assistant')) return null
    prompt.push({ role, content: [{ type: 'text', text: content }] })
  }
  return prompt
}

/**
 * How the model says it finished; null when its stream ended without a word about that. Nothing is waited for behind that word: a
 * vendor may leave the connection open, or tear it, when all is said. It is read on all the same until the signal ends it, because one that
 * comes to its end carries the next call, too.
 */
export async function callPlainly(model: VendorModel, options: CallOptions, listener: PlainListener): Promise<Finish | null> {
  let finish: Finish | null = null
  const said = Promise.withResolvers<void>()
  const countAside = boundedAsides()
  const { prose, finished } = thoughtsApart((part) => listener.prose(part), unmarkedThoughts(model))
  const began = () => listener.began()
  const heard = (part: VendorPart): GoesOn => {
    if (options.abortSignal?.aborted) return false
    if (finish !== null) return true
    listener.heard()
    if (isProse(part)) {
      prose(part)
      return true
    }
    countAside(part)
    if (part.type === 'error') throw streamError(part.error)
    if (part.type === 'finish') {
      finished(part.finishReason.unified)
      finish = { reason: part.finishReason.unified, raw: part.finishReason.raw }
      said.resolve()
    } else if (part.type === 'source') listener.source(part)
    else if (part.type === 'file') return listener.file(part).then(() => !options.abortSignal?.aborted)
    return true
  }
  const reading = model.listen ? model.listen(options, began, heard) : listenByStream(model, options, began, heard)
  await Promise.race([reading, said.promise])
  return options.abortSignal?.aborted ? null : finish
}

async function listenByStream(
  model: VendorModel,
  options: CallOptions,
  began: () => void,
  heard: (part: VendorPart) => GoesOn,
): Promise<void> {
  const { stream } = await model.doStream(options)
  began()
  for await (const part of stream) {
    const goesOn = heard(part)
    // Words are not waited for.
    if (!(typeof goesOn === 'boolean' ? goesOn : await goesOn)) return
  }
}

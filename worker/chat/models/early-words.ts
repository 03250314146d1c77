/**
 * Hears the words of a model where they leave the vendor's connection, before the SDK's machinery of steps and tools, which hands every
 * part through nine streams: in workerd about 130 µs a word, against 15 this way, beside the 100 of waking up for what the connection
 * brings. The SDK still gets each block, as one piece at its end, so that what it sends back in a next step is complete.
 */
import { wrapLanguageModel } from 'ai'
import { boundedAsides } from './bounded-answers.ts'
import { saidOnce } from './said-once.ts'
import type { ProsePart, VendorModel, VendorPart } from './vendor-model.ts'

export type Listener = {
  /** The vendor has begun to answer: the first call, or the next after tools were used. */
  began(): void
  /** Something came, of whatever kind. */
  heard(): void
  prose(part: ProsePart): void
}

export const withEarlyWords = (model: VendorModel, listener: Listener) =>
  wrapLanguageModel({
    model,
    middleware: {
      specificationVersion: 'v4',
      wrapStream: async ({ doStream }) => {
        const answer = await doStream()
        listener.began()
        return { ...answer, stream: answer.stream.pipeThrough(tap(listener)) }
      },
    },
  })

function tap(listener: Listener): TransformStream<VendorPart, VendorPart> {
  /** By block: what was said of it so far, and what its vendor wants to be told again with it, such as the signature of thoughts. */
  const held = new Map<string, { readonly delta: string; readonly providerMetadata?: NonNullable<ProsePart['providerMetadata']> }>()
  const isNews = saidOnce()
  const countAside = boundedAsides()
  return new TransformStream({
    transform(part, controller) {
      listener.heard()
      if (!isNews(part)) return
      if (!isProse(part)) {
        countAside(part)
        controller.enqueue(part)
        return
      }
      listener.prose(part)
      if (part.type === 'text-delta' || part.type === 'reasoning-delta') {
        const before = held.get(part.id)
        const providerMetadata = part.providerMetadata ?? before?.providerMetadata
        held.set(part.id, { delta: (before?.delta ?? '') + part.delta, ...(providerMetadata && { providerMetadata }) })
        return
      }
      const whole = held.get(part.id)
      held.delete(part.id)
      if (whole && part.type === 'text-end') controller.enqueue({ type: 'text-delta', id: part.id, ...whole })
      if (whole && part.type === 'reasoning-end') controller.enqueue({ type: 'reasoning-delta', id: part.id, ...whole })
      controller.enqueue(part)
    },
  })
}

const prose: ReadonlySet<VendorPart['type']> = new Set([
  'text-start',
  'text-delta',
  'text-end',
  'reasoning-start',
  'reasoning-delta',
  'reasoning-end',
])

export const isProse = (part: VendorPart): part is ProsePart => prose.has(part.type)

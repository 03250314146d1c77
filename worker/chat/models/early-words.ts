/**
 * Hears the words of a model where they leave the vendor's connection, before the SDK's machinery of steps and tools, which hands every
 * part through nine streams: in workerd about 130 µs a word, against 15 this way, beside the 100 of waking up for what the connection
 * brings. The SDK still gets each block, as one piece at its end, so that what it sends back in a next step is complete.
 */
import { wrapLanguageModel } from 'ai'
import { leave } from '../../lib/bounded-body.ts'
import { streamError } from '../model-errors.ts'
import { ToolCallIds } from '../tool-call-ids.ts'
import { boundedAsides } from './bounded-answers.ts'
import { checkedPart } from './checked-part.ts'
import { unmarkedThoughts } from './hidden-thoughts.ts'
import { saidOnce } from './said-once.ts'
import { thoughtsApart, type Unmarked } from './thoughts-apart.ts'
import type { FilePart, ProsePart, VendorModel, VendorPart } from './vendor-model.ts'
import { inWholeLetters } from './whole-letters.ts'

export type Listener = {
  /** The vendor has begun to answer: the first call, or the next after tools were used. */
  began(): void
  /** Something came, of whatever kind. */
  heard(): void
  prose(part: ProsePart): void
  /** Resolves when it is kept. */
  file(part: FilePart): Promise<void>
}

export const withEarlyWords = (model: VendorModel, listener: Listener) =>
  wrapLanguageModel({
    model,
    middleware: {
      specificationVersion: 'v4',
      wrapStream: async ({ doStream }) => {
        const answer = await doStream()
        listener.began()
        return { ...answer, stream: tapped(answer.stream, listener, unmarkedThoughts(model)) }
      },
    },
  })

function tapped(source: ReadableStream<VendorPart>, listener: Listener, server: Unmarked | null): ReadableStream<VendorPart> {
  const reader = source.getReader()
  const isNews = saidOnce()
  const partsFor = sdkParts(listener, server)
  return new ReadableStream({
    async pull(controller) {
      // Most words are none of the SDK's: a pull that brings nothing would be the last.
      for (let isAny = false; !isAny; ) {
        const { done, value } = await reader.read()
        if (done) return controller.close()
        listener.heard()
        const said = checkedPart(value)
        if (said === null || !isNews(said)) continue
        // Not for the SDK, which would hold every picture of the answer until its end.
        if (said.type === 'file') await listener.file(said)
        else
          for (const part of partsFor(said)) {
            controller.enqueue(part)
            isAny = true
          }
        if (said.type !== 'finish') continue
        // All is said, whether or not the vendor closes the connection.
        controller.close()
        return leave(reader)
      }
    },
    cancel: (reason) => reader.cancel(reason),
  })
}

/** Nobody asks what an answer took, and the SDK breaks off over one whose vendor does not say. */
const uncounted: Extract<VendorPart, { readonly type: 'finish' }>['usage'] = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
}

/** For one stream: tells the listener of each part, and says what the SDK has to know after it. */
function sdkParts(listener: Listener, server: Unmarked | null): (part: VendorPart) => readonly VendorPart[] {
  /** By block: what was said of it so far, and what its vendor wants to be told again with it, such as the signature of thoughts. */
  const held = new Map<string, { readonly delta: string; readonly providerMetadata?: NonNullable<ProsePart['providerMetadata']> }>()
  const countAside = boundedAsides()
  const callIds = new ToolCallIds()
  let known: VendorPart[] = []
  const { prose, finished } = thoughtsApart((part) => {
    listener.prose(part)
    if (part.type === 'text-delta' || part.type === 'reasoning-delta') {
      const before = held.get(part.id)
      const providerMetadata = part.providerMetadata ?? before?.providerMetadata
      held.set(part.id, { delta: (before?.delta ?? '') + part.delta, ...(providerMetadata && { providerMetadata }) })
      return
    }
    const whole = held.get(part.id)
    held.delete(part.id)
    if (whole && part.type === 'text-end') known.push({ type: 'text-delta', id: part.id, ...whole })
    if (whole && part.type === 'reasoning-end') known.push({ type: 'reasoning-delta', id: part.id, ...whole })
    known.push(part)
  }, server)
  return (part) => {
    known = []
    if (isProse(part)) {
      prose(part)
      return known
    }
    countAside(part)
    if (part.type === 'finish') {
      finished(part.finishReason.unified)
      return [...known, { ...part, usage: uncounted }]
    }
    // Made here, because the SDK makes one that says less.
    if (part.type === 'error') return [{ ...part, error: streamError(part.error) }]
    return [asideForSdk(inWholeLetters(part), callIds)].filter((aside) => aside !== null)
  }
}

/**
 * Calls of our tools, each by an id of its own, because the SDK brings what they return by that alone. Null for what a vendor says of tools that
 * it has used itself: nothing of that was fetched here, and none was offered to it. So for all that nobody reads, which may be anything.
 */
function asideForSdk(part: VendorPart, callIds: ToolCallIds): VendorPart | null {
  switch (part.type) {
    case 'tool-input-start':
      return part.providerExecuted ? null : { ...part, id: callIds.begun(part.id) }
    case 'tool-input-delta':
    case 'tool-input-end':
      return callIds.isOpen(part.id) ? { ...part, id: callIds.answered(part.id) } : null
    case 'tool-call':
      return part.providerExecuted ? null : { ...part, toolCallId: callIds.called(part.toolCallId) }
    case 'source':
      return part
    default:
      return null
  }
}

const kindsOfProse: ReadonlySet<VendorPart['type']> = new Set([
  'text-start',
  'text-delta',
  'text-end',
  'reasoning-start',
  'reasoning-delta',
  'reasoning-end',
])

export const isProse = (part: VendorPart): part is ProsePart => kindsOfProse.has(part.type)

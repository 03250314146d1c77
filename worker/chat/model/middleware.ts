/** What every model of a provider needs around it, as the SDK's middleware. */
import { extractReasoningMiddleware, type LanguageModelMiddleware, wrapLanguageModel } from 'ai'
import { within } from '../../lib/within.ts'
import { checkedPart, checkedUsage } from './checked-part.ts'
import { SilentModelError, UnreadableModelError } from './errors.ts'
import type { VendorModel, VendorPart } from './types.ts'

export type StreamChecks = {
  /** The longest wait for the response. The connection limits the waits for bytes. */
  readonly silenceMs: number
  /** Why the connection ended the stream early, if it did. */
  readonly takeViolation: () => Error | null
}

/** Checks the parts, and moves `<think>…</think>`, which servers of open models leave in the text, to the reasoning. */
export const checkedModel = (model: VendorModel, checks: StreamChecks): VendorModel =>
  wrapLanguageModel({ model, middleware: [extractReasoningMiddleware({ tagName: 'think' }), checkedParts(checks)] })

const checkedParts = ({ silenceMs, takeViolation }: StreamChecks): LanguageModelMiddleware => ({
  specificationVersion: 'v4',
  wrapGenerate: async ({ doGenerate }) => {
    const answer = await doGenerate()
    return { ...answer, usage: checkedUsage(answer.usage), warnings: [] }
  },
  wrapStream: async ({ doStream }) => {
    const answer = await within(silenceMs, Promise.resolve(doStream()), () => {
      throw new SilentModelError('no response within the time limit')
    })
    return { ...answer, stream: answer.stream.pipeThrough(partCheck(takeViolation)) }
  },
})

/** Ends the stream with its finish part, or with an error part, whatever the server does with the connection afterwards. */
function partCheck(takeViolation: () => Error | null): TransformStream<VendorPart, VendorPart> {
  let hasUnknown = false
  const blocks = openBlocks()
  const fail = (controller: TransformStreamDefaultController<VendorPart>, error: unknown) => {
    controller.enqueue({ type: 'error', error })
    controller.terminate()
  }
  return new TransformStream({
    transform(value, controller) {
      try {
        const part = checkedPart(value)
        hasUnknown ||= part === null
        if (part === null) return
        const violation = part.type === 'finish' || part.type === 'error' ? takeViolation() : null
        if (violation) return fail(controller, violation)
        for (const each of blocks(part)) controller.enqueue(each)
        if (part.type === 'finish') controller.terminate()
      } catch (error) {
        fail(controller, error)
      }
    },
    flush(controller) {
      const violation = takeViolation() ?? (hasUnknown ? new UnreadableModelError('no part of the answer is of a known type') : null)
      if (violation) controller.enqueue({ type: 'error', error: violation })
    },
  })
}

/** The SDK fails on a start, a delta or an end that does not fit the blocks that are open, such as after a repeated event. */
function openBlocks(): (part: VendorPart) => readonly VendorPart[] {
  const open = new Set<string>()
  return (part) => {
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start': {
        const key = `${part.type} ${part.id}`
        if (open.has(key)) return []
        open.add(key)
        return [part]
      }
      case 'text-delta':
      case 'reasoning-delta': {
        const type = part.type === 'text-delta' ? 'text-start' : 'reasoning-start'
        const key = `${type} ${part.id}`
        if (open.has(key)) return [part]
        open.add(key)
        return [{ type, id: part.id }, part]
      }
      case 'text-end':
        return open.delete(`text-start ${part.id}`) ? [part] : []
      case 'reasoning-end':
        return open.delete(`reasoning-start ${part.id}`) ? [part] : []
      default:
        return [part]
    }
  }
}

/**
 * Cloudflare's own models, by their binding. The provider takes whatever it cannot read in a stream for nothing, and prints it; it takes an error
 * for nothing, too, and an answer that its filter ended for a whole one. So what it is given has been looked at before.
 */
import { createWorkersAI } from 'workers-ai-provider'
import * as z from 'zod/mini'
import { reportedIn, UnreadableModelError } from '../model-errors.ts'
import { boundedEvents } from './bounded-answers.ts'
import { recordIn } from './completion-events.ts'
import { type Judge, judgedLines, lastData } from './event-lines.ts'
import { type FileSlots, fillIn } from './file-body.ts'
import type { Waiting } from './held-events.ts'
import type { VendorModel, VendorPart } from './vendor-model.ts'

/** What became of a stream before the provider had it. */
type Fate = { error: unknown; isBegun: boolean }

/** The binding takes values, so files are filled in before; of those it reads only images, which are small. It parses an answer in one piece itself. */
export function workersModel(binding: Ai, slug: string, files: FileSlots): VendorModel {
  const waiting: Waiting = { atMs: 0 }
  const connect = (fate: Fate): VendorModel => {
    const run = async (name: unknown, inputs: unknown, options: unknown): Promise<unknown> => {
      const filled = await fillIn(inputs, files)
      const answer = await (binding.run as unknown as (...all: unknown[]) => Promise<unknown>).call(binding, name, filled, options)
      // Some answer in one piece, also where they are asked to stream.
      fate.isBegun = !(answer instanceof ReadableStream)
      if (!(answer instanceof ReadableStream)) return answer
      const judge: Judge = (data) => {
        fate.isBegun = true
        return readable(data)
      }
      return judgedLines(boundedEvents(answer, waiting), judge, (error) => {
        fate.error = error
      })
    }
    // Its types list every model there is; of the binding, the provider calls nothing but this.
    return createWorkersAI({ binding: { run } as unknown as Ai })(slug)
  }
  const doStream: VendorModel['doStream'] = async (options) => {
    const fate: Fate = { error: null, isBegun: false }
    const answer = await connect(fate).doStream(options)
    return { ...answer, stream: answer.stream.pipeThrough(endingBy(fate)) }
  }
  return Object.assign(connect({ error: null, isBegun: false }), { doStream, waiting })
}

const prose = z.nullish(z.string())
const calls = z.nullish(z.array(z.record(z.string(), z.unknown())))
const delta = z.object({ content: prose, reasoning_content: prose, reasoning: prose, tool_calls: calls })
const choice = z.object({ delta: z.nullish(delta), finish_reason: prose })
/** In Cloudflare's way, where a word may be a number, and in OpenAI's. */
const event = z.object({
  response: z.nullish(z.union([z.string(), z.number()])),
  tool_calls: calls,
  choices: z.nullish(z.array(choice)),
  finish_reason: prose,
})

function readable(data: string): string {
  if (data === lastData || data === '') return data
  const said = recordIn(data)
  const reported = said && reportedIn(said)
  if (reported) throw reported
  if (!event.safeParse(said).success) throw new UnreadableModelError('an event is no part of an answer')
  return data
}

type Finish = Extract<VendorPart, { readonly type: 'finish' }>

/** Its last part says how it ended. */
function endingBy(fate: Fate): TransformStream<VendorPart, VendorPart> {
  return new TransformStream({
    transform(part, controller) {
      if (part.type !== 'finish') return controller.enqueue(part)
      if (fate.error !== null) throw fate.error
      controller.enqueue({ ...part, finishReason: reasonOf(part, fate) })
    },
  })
}

function reasonOf({ finishReason }: Finish, { isBegun }: Fate): Finish['finishReason'] {
  if (finishReason.raw === 'content_filter') return { ...finishReason, unified: 'content-filter' }
  // As of anybody whose stream ends without a word about that.
  if (!isBegun || finishReason.raw === 'stream-truncated') return { unified: 'other', raw: undefined }
  return finishReason
}

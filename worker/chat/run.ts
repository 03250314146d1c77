/**
 * One call of a model from question to last word. Forwards every chunk as it comes and says at the end how it went; what an ending
 * means for the thread, the credits and the readers is decided elsewhere.
 */
import { isStepCount, type ModelMessage, streamText, type ToolSet } from 'ai'
import { maxToolSteps } from '../contract/limits.ts'
import type { ChunkWriter } from './chunk-writer.ts'
import { CutShortError, type Failure, failure, failureOf, retryDelayMs, SilentModelError } from './failures.ts'
import { withEarlyWords } from './models/early-words.ts'
import type { ProviderOptions } from './models/effort-options.ts'
import type { VendorModel } from './models/vendor-model.ts'
import type { Later } from './storage.ts'

export type ModelCall = {
  readonly model: VendorModel
  readonly instructions: string
  readonly messages: readonly ModelMessage[]
  readonly providerOptions?: ProviderOptions | undefined
  /** What the model may use; null: nothing but its own words. */
  readonly tools: ToolSet | null
}

export type Outcome = { readonly ending: 'completed' } | { readonly ending: 'failed'; readonly failure: Failure; readonly error: unknown }

export type RunHost = {
  readonly writer: ChunkWriter
  /** Aborted when somebody else has ended the answer; the outcome is then nobody's business. */
  readonly signal: AbortSignal
  readonly later: Later
  readonly nowMs: () => number
}

/** A model may think for long before its first word, but its stream says something while it does. */
export const silenceMs = 60_000

const temperature = 0.8

export async function runModel(call: ModelCall, host: RunHost): Promise<Outcome> {
  for (let attempt = 1; ; attempt++) {
    try {
      await stream(call, host)
      if (host.writer.said) return { ending: 'completed' }
      return { ending: 'failed', failure: failure('model_empty'), error: new Error('the model finished without a word') }
    } catch (error) {
      const delayMs = host.writer.begun || host.signal.aborted ? null : retryDelayMs(error, attempt)
      if (delayMs === null) return { ending: 'failed', failure: failureOf(error), error }
      await new Promise<void>((resolve) => host.later(delayMs, resolve))
      if (host.signal.aborted) return { ending: 'failed', failure: failure('model_error'), error }
    }
  }
}

/** Resolves when the model said it is done; throws whatever else happened. Nothing is written once it has settled. */
async function stream(call: ModelCall, { writer, signal, later, nowMs }: RunHost): Promise<void> {
  const upstream = new AbortController()
  const watch = watchSilence(later, nowMs)
  let over = false
  const read = async (): Promise<void> => {
    const result = streamText({
      model: withEarlyWords(call.model, {
        began: () => !over && writer.beginStep(),
        heard: watch.heard,
        prose: (part) => !over && writer.prose(part),
      }),
      instructions: call.instructions,
      messages: [...call.messages],
      // Models that are told how long to think reject a temperature, or say that it does harm.
      ...(call.providerOptions ? { providerOptions: call.providerOptions } : { temperature }),
      ...(call.tools ? toolLoop(call.tools) : {}),
      abortSignal: AbortSignal.any([signal, upstream.signal]),
      // `runModel` repeats a call itself, and only one that has said nothing.
      maxRetries: 0,
      // Errors come as parts of the stream; without this the SDK also prints them.
      onError: () => {},
    })
    let finish: { reason: string; raw: string | undefined } | null = null
    for await (const part of result.stream) {
      if (over) return
      if (part.type === 'error') throw part.error
      if (part.type === 'finish') finish = { reason: part.finishReason, raw: part.rawFinishReason }
      writer.write(part)
    }
    if (finish === null || (finish.reason === 'other' && finish.raw === undefined))
      throw new CutShortError('the stream ended before the answer did')
    if (finish.reason === 'error') throw Object.assign(new Error('the model reported an error'), { statusCode: 500 })
  }
  try {
    await Promise.race([read(), watch.silent, aborted(signal)])
  } finally {
    over = true
    watch.cancel()
    upstream.abort()
  }
}

/** As many steps as tools may take, the last of them without: whatever the model is up to, an answer comes. */
const toolLoop = (tools: ToolSet) => ({
  tools,
  stopWhen: isStepCount(maxToolSteps),
  prepareStep: ({ stepNumber }: { readonly stepNumber: number }) =>
    stepNumber === maxToolSteps - 1 ? ({ toolChoice: 'none' } as const) : undefined,
})

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason)
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })

/** One timer for the whole stream, moved on when it fires: a timer per chunk would cost more than the chunk. */
function watchSilence(later: Later, nowMs: () => number) {
  let heardAtMs = nowMs()
  let cancel = (): void => {}
  const silent = new Promise<never>((_resolve, reject) => {
    const arm = (delayMs: number): void => {
      cancel = later(delayMs, () => {
        const leftMs = heardAtMs + silenceMs - nowMs()
        if (leftMs > 0) arm(leftMs)
        else reject(new SilentModelError('the model said nothing for too long'))
      })
    }
    arm(silenceMs)
  })
  return {
    silent,
    heard: (): void => {
      heardAtMs = nowMs()
    },
    cancel: (): void => cancel(),
  }
}

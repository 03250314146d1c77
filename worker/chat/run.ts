/**
 * One call of a model from question to last word. Forwards every chunk as it comes and says at the end how it went; what an ending
 * means for the thread, the credits and the readers is decided elsewhere.
 */
import { isStepCount, type ModelMessage, streamText, type TextStreamPart, type ToolSet } from 'ai'
import { maxToolSteps, modelSilenceMs } from '../contract/limits.ts'
import type { ChunkWriter } from './chunk-writer.ts'
import { CutShortError, type Failure, failure, failureOf, retryDelayMs, SilentModelError } from './failures.ts'
import type { CallSettings } from './models/call-settings.ts'
import { type Listener, withEarlyWords } from './models/early-words.ts'
import type { CallOptions, ProsePart, VendorModel } from './models/vendor-model.ts'
import { callPlainly, type Finish, plainPrompt, type Source } from './plain-call.ts'
import type { Later } from './storage.ts'
import { offeredTools } from './tools/turn-tools.ts'

export type ModelCall = CallSettings & {
  readonly model: VendorModel
  readonly instructions: string
  readonly messages: readonly ModelMessage[]
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
  /** A model that says nothing for this long has failed; the product's limit unless the deployment chose its own. */
  readonly silenceMs?: number
}

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
async function stream(call: ModelCall, { writer, signal, later, nowMs, silenceMs = modelSilenceMs }: RunHost): Promise<void> {
  const upstream = new AbortController()
  const watch = watchSilence(later, nowMs, silenceMs)
  let over = false
  const listener = {
    began: () => void (!over && writer.beginStep()),
    heard: watch.heard,
    prose: (part: ProsePart) => void (!over && writer.prose(part)),
    source: (part: Source) => writer.write(part),
    file: (url: string, mediaType: string) => writer.file(url, mediaType),
  }
  const prompt = call.tools ? null : plainPrompt(call.instructions, call.messages)
  const options = {
    ...(call.providerOptions ? { providerOptions: call.providerOptions } : {}),
    ...(call.reasoning ? { reasoning: call.reasoning } : {}),
    ...(call.temperature == null ? {} : { temperature: call.temperature }),
    abortSignal: AbortSignal.any([signal, upstream.signal]),
  }
  const read = async (): Promise<void> => {
    const finish = prompt
      ? await callPlainly(call.model, { prompt, ...options }, listener)
      : await callInSteps(call, options, listener, (part) => !over && writer.write(part))
    if (over) return
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

type SdkSettings = Pick<CallOptions, 'providerOptions' | 'reasoning' | 'temperature' | 'abortSignal'>

/** Through the SDK, which runs tools and converts files. */
async function callInSteps(
  call: ModelCall,
  options: SdkSettings,
  listener: Listener,
  write: (part: TextStreamPart<ToolSet>) => void,
): Promise<Finish | null> {
  const result = streamText({
    model: withEarlyWords(call.model, listener),
    instructions: call.instructions,
    messages: [...call.messages],
    ...options,
    ...(call.tools ? toolLoop(call.tools) : {}),
    // `runModel` repeats a call itself, and only one that has said nothing.
    maxRetries: 0,
    // Errors come as parts of the stream; without this the SDK also prints them.
    onError: () => {},
  })
  let finish: Finish | null = null
  for await (const part of result.stream) {
    if (options.abortSignal?.aborted) return null
    // What a tool takes is no silence of the model's: its time begins anew with the result.
    listener.heard()
    if (part.type === 'error') throw part.error
    if (part.type === 'finish') finish = { reason: part.finishReason, raw: part.rawFinishReason }
    write(part)
  }
  return finish
}

/** As many steps as tools may take, the last of them without: whatever the model is up to, an answer comes. */
const toolLoop = (tools: ToolSet) => ({
  tools,
  stopWhen: isStepCount(maxToolSteps),
  prepareStep: ({ stepNumber, messages }: { readonly stepNumber: number; readonly messages: readonly ModelMessage[] }) =>
    stepNumber === maxToolSteps - 1 ? ({ toolChoice: 'none' } as const) : { activeTools: offeredTools(tools, messages) },
})

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason)
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })

/** Ours: what a busy machine needs to read what has arrived. */
const maxGraceMs = 1000

/**
 * One timer for the whole stream, moved on when it fires: a timer per chunk would cost more than the chunk. It fires twice before a model
 * is called silent, because in a machine that stood still a timer is served before the words that came meanwhile.
 */
function watchSilence(later: Later, nowMs: () => number, silenceMs: number) {
  const graceMs = Math.min(maxGraceMs, silenceMs / 4)
  let heardAtMs = nowMs()
  let doubtedAtMs: number | null = null
  let cancel = (): void => {}
  const silent = new Promise<never>((_resolve, reject) => {
    const arm = (delayMs: number): void => {
      cancel = later(delayMs, () => {
        const quietMs = nowMs() - heardAtMs
        const isDoubted = quietMs >= silenceMs - graceMs
        if (isDoubted && doubtedAtMs === heardAtMs) {
          reject(new SilentModelError('the model said nothing for too long'))
          return
        }
        doubtedAtMs = isDoubted ? heardAtMs : null
        arm(isDoubted ? Math.max(graceMs, silenceMs - quietMs) : silenceMs - graceMs - quietMs)
      })
    }
    arm(silenceMs - graceMs)
  })
  return {
    silent,
    heard: (): void => {
      heardAtMs = nowMs()
    },
    cancel: (): void => cancel(),
  }
}

/**
 * One call of a model from question to last word. Forwards every chunk as it comes and says at the end how it went; what an ending
 * means for the thread, the credits and the readers is decided elsewhere.
 */
import type { ModelMessage, TextStreamPart, ToolSet } from 'ai'
import { modelSilenceMs } from '../contract/limits.ts'
import { askedAgain, repeated } from './asked-again.ts'
import { AskingLine, askedInLine } from './asking-line.ts'
import type { ChunkWriter } from './chunk-writer.ts'
import { type Failure, failure, failureOf } from './failures.ts'
import { checkFinish, cutBy, type Finish } from './finish-reasons.ts'
import { SilentModelError, UnreadableModelError } from './model-errors.ts'
import type { CallSettings } from './models/call-settings.ts'
import type { FilePart, ProsePart, VendorModel } from './models/vendor-model.ts'
import { callPlainly, plainPrompt, type Source } from './plain-call.ts'
import { withMaterial } from './prompt.ts'
import { callInSteps } from './stepped-call.ts'
import type { Later } from './storage.ts'

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
  /** What stands in the way of asking at once: what the other answers that are written here ask. */
  readonly asking?: AskingLine
}

export async function runModel(call: ModelCall, host: RunHost): Promise<Outcome> {
  try {
    const finish = await repeated(
      () => stream(call, host),
      () => !host.writer.begun,
      host,
    )
    const cut = cutBy(finish)
    if (cut) return { ending: 'failed', failure: failure(cut), error: new Error(`the model finished by ${finish.reason}`) }
    if (host.writer.said) return { ending: 'completed' }
    return { ending: 'failed', failure: failure('model_empty'), error: new Error('the model finished without a word') }
  } catch (error) {
    return { ending: 'failed', failure: failureOf(error), error }
  }
}

/** Ours: how long a vendor that has said everything may take to close its answer. The next question needs no new connection then. */
const maxLingerMs = 250

/** Resolves when the model said it is done; throws whatever else happened. Nothing is written once it has settled. */
async function stream(call: ModelCall, host: RunHost): Promise<Finish> {
  const { writer, signal, later, nowMs, silenceMs = modelSilenceMs, asking = new AskingLine(1) } = host
  const upstream = new AbortController()
  const stop = (): void => upstream.abort(signal.reason)
  if (signal.aborted) stop()
  else signal.addEventListener('abort', stop, { once: true })
  const watch = watchSilence(later, nowMs, silenceMs, call.model.waiting)
  let over = false
  let lingersMs = 0
  const enter = (): Promise<() => void> => {
    watch.pause()
    return asking.enter({ signal: upstream.signal, later, waitMs: silenceMs }).finally(watch.resume)
  }
  const model = askedAgain(askedInLine(call.model, enter, upstream.signal), () => writer.begun, { signal: upstream.signal, later })
  const listener = {
    began: () => void (!over && writer.beginStep()),
    heard: watch.heard,
    toolBegan: watch.pause,
    toolEnded: watch.resume,
    prose: (part: ProsePart) => void (!over && writer.prose(part)),
    source: (part: Source) => writer.write(part),
    file: async (part: FilePart) => {
      // Storing it is our time, not the model's.
      watch.pause()
      await writer.file(part, () => over).finally(watch.resume)
    },
  }
  const write = (part: TextStreamPart<ToolSet>) => void (!over && writer.write(part))
  const options = {
    ...(call.providerOptions ? { providerOptions: call.providerOptions } : {}),
    ...(call.reasoning ? { reasoning: call.reasoning } : {}),
    ...(call.temperature == null ? {} : { temperature: call.temperature }),
    abortSignal: upstream.signal,
  }
  const plainly = async (messages: readonly ModelMessage[]): Promise<Finish | null> => {
    const prompt = plainPrompt(call.instructions, messages)
    if (prompt) return callPlainly(model, { prompt, ...options }, listener)
    return (await callInSteps({ ...call, model, messages, tools: null }, options, listener, write)).finish
  }
  const read = async (): Promise<Finish | null> => {
    if (!call.tools) return plainly(call.messages)
    const { finish, unanswered } = await callInSteps({ ...call, model }, options, listener, write)
    return unanswered && !over ? plainly(answerNow(call.messages, unanswered)) : finish
  }
  try {
    const finish = await Promise.race([read(), watch.silent, aborted(signal)])
    checkFinish(finish)
    if (finish.reason === 'tool-calls' && !writer.said) throw new UnreadableModelError('what was called is not there')
    lingersMs = maxLingerMs
    return finish
  } finally {
    over = true
    watch.cancel()
    // Whoever ends the answer from now on ends nothing that the vendor has still to say.
    signal.removeEventListener('abort', stop)
    if (lingersMs === 0) upstream.abort()
    else later(lingersMs, () => upstream.abort())
  }
}

/** For a model that went on calling tools: the question, with what they returned behind it, and nothing that could be called. */
function answerNow(messages: readonly ModelMessage[], found: readonly string[]): readonly ModelMessage[] {
  const material = ['No tool can be used any more. Answer now, with what is known.', ...found].join('\n\n')
  return withMaterial(messages, material)
}

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
function watchSilence(later: Later, nowMs: () => number, silenceMs: number, waiting: VendorModel['waiting'] = { atMs: 0 }) {
  const graceMs = Math.min(maxGraceMs, silenceMs / 4)
  let heardAtMs = nowMs()
  /** How many others are at work meanwhile, for whom the model has to wait. */
  let pauses = 0
  let doubtedAtMs: number | null = null
  let cancel = (): void => {}
  const silent = new Promise<never>((_resolve, reject) => {
    const arm = (delayMs: number): void => {
      cancel = later(delayMs, () => {
        const sinceMs = Math.max(heardAtMs, waiting.atMs)
        const quietMs = pauses > 0 ? 0 : nowMs() - sinceMs
        const isDoubted = quietMs >= silenceMs - graceMs
        if (isDoubted && doubtedAtMs === sinceMs) {
          reject(new SilentModelError('the model said nothing for too long'))
          return
        }
        doubtedAtMs = isDoubted ? sinceMs : null
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
    pause: (): void => {
      pauses += 1
    },
    /** Its time begins anew. */
    resume: (): void => {
      pauses -= 1
      heardAtMs = nowMs()
    },
    cancel: (): void => cancel(),
  }
}

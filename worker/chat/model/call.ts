/**
 * Calls a model through the AI SDK, from the request to the last word. Chunks go to the writer as they arrive; the outcome is how the call
 * ended. A call with tools makes at most `maxToolSteps` requests, fewer if its token budget is used up, and the last one offers no tools. If the
 * model still calls tools, one more request without tools follows.
 */
import {
  type LanguageModelMiddleware,
  type ModelMessage,
  type StepResult,
  experimental_streamTextLowMemory as streamText,
  type TelemetryOptions,
  type ToolSet,
  wrapLanguageModel,
} from 'ai'
import { maxToolSteps } from '../../contract/limits.ts'
import { applyChunk, type StreamChunk } from '../../contract/threads/message-stream.ts'
import { type MessagePart, textOf } from '../../contract/threads/messages.ts'
import type { ApprovalRequest } from '../../contract/tools/approvals.ts'
import { must } from '../../lib/assert.ts'
import type { MadeCall } from '../tools/registry.ts'
import { ToolFailure } from '../tools/tool-failure.ts'
import { quotedUntrusted } from '../tools/untrusted.ts'
import { ChunkWriter } from '../turn/chunk-writer.ts'
import { maxAnswerBytes } from '../turn/settlement.ts'
import type { CallSettings } from './call-settings.ts'
import { checkFinish, cutBy, type Finish, UnreadableModelError, UnretriedError } from './errors.ts'
import { type Failure, failure, failureOf, retryWaitMs } from './failures.ts'
import { cacheStep, forcedTool } from './middleware.ts'
import { withMaterial } from './prompt.ts'
import type { Spending } from './spending.ts'
import { ownToolCalls } from './tool-calls.ts'
import { type ToolTokens, toolMeter } from './tool-tokens.ts'
import type { ProviderModel, ProviderPart } from './types.ts'
import type { ReportedUsage } from './usage.ts'

export type ModelCall = CallSettings & {
  readonly model: ProviderModel
  readonly instructions: string
  readonly messages: readonly ModelMessage[]
  /** Null for a call without tools. */
  readonly tools: ToolSet | null
  /** The tool that the first step is forced to call, if the provider can force it. */
  readonly firstTool?: string | undefined
  /** The approval to request from the user before this call is made; null: the call needs no approval. `messages`: those that the model had. */
  readonly approvalFor?: ((call: AskedCall, messages: readonly ModelMessage[]) => Promise<ApprovalRequest | null>) | undefined
  /** Without it, only the number of steps limits the tools. */
  readonly toolTokens?: ToolTokens
  /** True if the provider caches on request only. Then the prompt of each step with tools is cached for the next one. */
  readonly isCacheable?: boolean
}

export type AskedCall = { readonly toolName: string; readonly input: unknown }

/** The work of one answer. An exception becomes a failed outcome. */
export type Generate = (host: RunHost) => Promise<Outcome>

export type Outcome = { readonly ending: 'completed' } | { readonly ending: 'failed'; readonly failure: Failure; readonly error: unknown }

export type RunHost = {
  readonly writer: ChunkWriter
  /** Aborted when the answer has been ended elsewhere; the outcome is then ignored. */
  readonly signal: AbortSignal
  readonly nowMs: () => number
  /** Called before each request to a model or a search provider is sent. */
  readonly onRequest?: () => void
  /** Called when a model begins to answer a request. Returns what receives the usage at the end of that answer. */
  readonly onResponse?: () => (reported: ReportedUsage) => void
  readonly telemetry?: () => Promise<TelemetryOptions>
  /** Limits what the requests may cost. Null or absent: nothing does. */
  readonly spending?: Spending | null
  /** Retries of a request that was not answered. */
  readonly maxRetries?: number
}

export async function runModel(call: ModelCall, host: RunHost): Promise<Outcome> {
  try {
    const finish = await stream(call, host)
    const cutOff = cutBy(finish)
    const cut = cutOff === 'model_length' && host.spending?.isLimiting ? 'credits_spent' : cutOff
    if (cut) return { ending: 'failed', failure: failure(cut), error: new Error(`the model finished by ${finish.reason}`) }
    if (host.writer.hasContent || host.writer.hasAsked) return { ending: 'completed' }
    return { ending: 'failed', failure: failure('model_empty'), error: new Error('the model finished without content') }
  } catch (error) {
    return { ending: 'failed', failure: failureOf(error), error }
  }
}

/** Resolves when the model has finished; throws otherwise. Writes nothing after it has settled. */
async function stream(call: ModelCall, host: RunHost): Promise<Finish> {
  const { writer, signal } = host
  const upstream = new AbortController()
  const open = { ...host, signal: AbortSignal.any([signal, upstream.signal]) }
  const read = async (): Promise<Finish | null> => {
    const { finish, unanswered } = await callInSteps(call, open)
    if (!unanswered || open.signal.aborted) return finish
    return (await callInSteps({ ...call, messages: answerNow(call.messages, unanswered), tools: null }, open)).finish
  }
  try {
    const finish = await Promise.race([read(), aborted(signal)])
    checkFinish(finish)
    if (finish.reason === 'tool-calls' && !writer.hasContent && !writer.hasAsked)
      throw new UnreadableModelError('the model called a tool that does not exist')
    return finish
  } finally {
    upstream.abort()
  }
}

/** For the last request of a turn with tools, which offers none. */
export const finishNow = 'No tool can be used any more: this answer has reached its limit. Answer now, with what is known.'

/** For a model that keeps calling tools: the question, what the tools returned, and no tools. */
function answerNow(messages: readonly ModelMessage[], found: readonly string[]): readonly ModelMessage[] {
  const material = [finishNow, ...found].join('\n\n')
  return withMaterial(messages, material)
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason)
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })

type Steps = {
  /** Null when the stream ended without a finish part. */
  readonly finish: Finish | null
  /** The quoted results of the tools if the model kept calling tools instead of answering. */
  readonly unanswered: readonly string[] | null
}

async function callInSteps(call: ModelCall, host: RunHost): Promise<Steps> {
  const {
    model,
    instructions,
    messages,
    tools,
    providerOptions,
    reasoning,
    temperature,
    maxOutputTokens,
    isCacheable = false,
    firstTool,
  } = call
  const { writer, signal, spending, maxRetries = 2 } = host
  const loop = tools ? toolLoop(tools, call, spending) : null
  const requests = new Map<string, ApprovalRequest>()
  const telemetry = await host.telemetry?.()
  const isForced = () => loop?.step() === 1
  const middleware = [
    ...(spending ? [spending.middleware] : []),
    forTurn(host),
    ...(loop && isCacheable ? [cacheStep] : []),
    ...(firstTool ? [forcedTool(firstTool, isForced)] : []),
  ]
  // Without the low-memory variant the SDK keeps every part until the end of the call.
  const { stream: parts } = streamText({
    model: wrapLanguageModel({ model, middleware }),
    instructions,
    messages: [...messages],
    ...(providerOptions ? { providerOptions } : {}),
    ...(reasoning ? { reasoning } : {}),
    ...(temperature == null ? {} : { temperature }),
    ...(maxOutputTokens == null ? {} : { maxOutputTokens }),
    ...loop?.settings,
    // The step ends if a call needs approval; other calls of the step run.
    toolApproval: async ({ toolCall, messages }) => {
      const request = (await call.approvalFor?.(toolCall, messages)) ?? null
      if (request === null) return undefined
      requests.set(toolCall.toolCallId, request)
      return 'user-approval'
    },
    abortSignal: signal,
    maxRetries,
    ...(telemetry && { telemetry }),
    // Errors are parts of the stream; the default prints them.
    onError: () => {},
  })
  let finish: Finish | null = null
  let steps = 0
  let wantsMore = false
  for await (const part of parts) {
    if (signal.aborted) return { finish: null, unanswered: null }
    if (part.type === 'start-step') steps += 1
    if (part.type === 'error') {
      if (!loop?.isInLast() || !isAboutTools(part.error)) throw part.error
      wantsMore = true
      break
    }
    // Calls in the last step are ignored: no tools were offered.
    if (steps === loop?.lastStep() && part.type.startsWith('tool-')) {
      wantsMore = true
      continue
    }
    if (part.type === 'finish') finish = { reason: part.finishReason, raw: part.rawFinishReason }
    else if (part.type === 'file') await writer.file(part.providerMetadata, signal)
    else if (part.type === 'tool-approval-request') {
      const { toolCallId } = part.toolCall
      writer.ask(toolCallId, must(requests.get(toolCallId), 'a request for a call that needs approval'))
    } else writer.write(part)
  }
  // A model that reached its length limit while calling tools would reach it again.
  if (loop?.isStuck() && finish?.reason !== 'length') wantsMore = true
  return { finish, unanswered: wantsMore ? (loop?.found() ?? []) : null }
}

/** Reports requests and their usage, gives tool calls their ids, and takes files out before the SDK would keep or download them. */
const forTurn = ({ writer, onRequest, onResponse }: RunHost): LanguageModelMiddleware => ({
  specificationVersion: 'v4',
  wrapStream: async ({ doStream }) => {
    onRequest?.()
    const answer = await Promise.resolve(doStream()).catch(throwUnretried)
    const report = onResponse?.()
    const ownPart = ownToolCalls(writer.callIds)
    const read = new TransformStream<ProviderPart, ProviderPart>({
      transform: (part, controller) => {
        try {
          const own = ownPart(part)
          if (own?.type === 'finish') report?.(own)
          if (own) controller.enqueue(own.type === 'file' ? writer.deferFile(own) : own)
        } catch (error) {
          // An error of the stream would discard what its reader has not read.
          controller.enqueue({ type: 'error', error })
          controller.terminate()
        }
      },
    })
    return { ...answer, stream: answer.stream.pipeThrough(read) }
  },
})

/** The SDK waits for shorter times. It ignores longer ones and would retry after 2 and 4 s, while the provider still refuses. */
const longWaitMs = 60_000

/** A missing file is final too. */
function throwUnretried(error: unknown): never {
  const waitMs = retryWaitMs(error)
  const isFinal = failureOf(error).code === 'file_missing' || (waitMs !== null && waitMs >= longWaitMs)
  throw isFinal ? new UnretriedError('a retry would fail, too', { cause: error }) : error
}

/** A call of a missing tool, or a provider that rejects earlier calls in a request without tools. */
const isAboutTools = (error: unknown): boolean => ['model_nonsense', 'model_error'].includes(failureOf(error).code)

/** Chosen: the model may correct an invalid call once. After two steps with only invalid calls it must answer. */
const maxUselessSteps = 2

type Recorded = { readonly steps: readonly StepResult<ToolSet>[] }

function toolLoop(tools: ToolSet, { model: { modelId }, instructions, toolTokens }: ModelCall, spending: Spending | null = null) {
  const exceedsBudget = toolTokens && toolMeter(toolTokens, instructions, spending)
  let sent: readonly ModelMessage[] = []
  let isStuck = false
  let step = 0
  let lastStep = maxToolSteps
  return {
    settings: {
      tools: spending ? paidTools(tools, spending) : tools,
      stopWhen: [
        () => step === lastStep,
        // A call of the step waits for the user.
        ({ steps }: Recorded) => steps.at(-1)?.toolResults.some(({ output }) => (output as MadeCall).request) ?? false,
        ({ steps }: Recorded) => {
          isStuck = steps.length >= maxUselessSteps && steps.slice(-maxUselessSteps).every(isUseless)
          return isStuck
        },
      ],
      prepareStep: ({ steps, messages }: Recorded & { readonly messages: readonly ModelMessage[] }) => {
        sent = messages
        step = steps.length + 1
        if (exceedsBudget?.(steps, messages)) lastStep = step
        if (step === lastStep) spending?.release()
        if (step < lastStep) return {}
        // Some providers reject a user message after results of tools.
        const told = { instructions: `${instructions}\n\n${finishNow}` }
        return needsTools.test(modelId) ? ({ ...told, toolChoice: 'none' } as const) : { ...told, activeTools: [] }
      },
    },
    isInLast: () => step === lastStep,
    /** The number of the current step, from 1. */
    step: () => step,
    /** The number of the last step. */
    lastStep: () => lastStep,
    isStuck: () => isStuck,
    found: () => quotedUntrusted(sent),
  }
}

/** The same tools, which refuse a call that the credits of the turn do not suffice for. */
function paidTools(tools: ToolSet, spending: Spending): ToolSet {
  const paid = ([name, tool]: [string, ToolSet[string]]): [string, ToolSet[string]] => {
    const { execute } = tool
    if (!execute) return [name, tool]
    const run: typeof execute = (input, options) => {
      if (!spending.pays(name))
        throw new ToolFailure('credits_short', 'The credits of this answer do not suffice for this call. Answer with what is known.')
      return execute(input, options)
    }
    return [name, { ...tool, execute: run }]
  }
  return Object.fromEntries(Object.entries(tools).map(paid))
}

/** Anthropic models reject a conversation with tool calls if the request defines no tools, at every provider. */
const needsTools = /anthropic|claude/i

/** True if all calls of the step were invalid. */
const isUseless = ({ toolCalls }: StepResult<ToolSet>): boolean => toolCalls.length > 0 && toolCalls.every((call) => call.invalid)

/** A whole text, or the outcome of the call that gave none. */
type ModelText = { readonly text: string } | { readonly outcome: Outcome }

/** Partial text is used: notes and plans are short and begin with the most important. */
const usableCuts: ReadonlySet<string> = new Set(['model_length', 'model_filtered', 'credits_spent'])

/** Calls a model without tools, and returns its text at the end instead of streaming it. */
export async function runModelForText(call: Omit<ModelCall, 'tools'>, host: RunHost): Promise<ModelText> {
  let parts: readonly MessagePart[] = []
  let chars = 0
  const collect = (chunk: StreamChunk) => {
    if ('delta' in chunk) chars += chunk.delta.length
    // Bounded like an answer.
    if (chars > maxAnswerBytes) throw new UnreadableModelError('the text has no end')
    parts = applyChunk(parts, chunk)
  }
  const outcome = await runModel({ ...call, tools: null }, { ...host, writer: new ChunkWriter(collect, host.nowMs) })
  const text = textOf({ parts })
  const isWhole = outcome.ending === 'completed' || (usableCuts.has(outcome.failure.code) && text.trim() !== '')
  return isWhole ? { text: text.trim() } : { outcome }
}

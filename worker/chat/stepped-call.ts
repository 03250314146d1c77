/**
 * One call of a model that may use tools, or whose conversation holds files: through the SDK, which runs the first and converts the second.
 * Always holds: no more than `maxToolSteps` requests are made, and the last of them leaves the model nothing to call.
 */
import { isStepCount, type ModelMessage, NoSuchToolError, type StepResult, streamText, type TextStreamPart, type ToolSet } from 'ai'
import { maxToolSteps } from '../contract/limits.ts'
import { failureOf } from './failures.ts'
import type { Finish } from './finish-reasons.ts'
import { streamError } from './model-errors.ts'
import { type Listener, withEarlyWords } from './models/early-words.ts'
import type { CallOptions, VendorModel } from './models/vendor-model.ts'
import { offeredTools } from './tools/turn-tools.ts'
import { quotedUntrusted } from './tools/untrusted.ts'

export type SdkSettings = Pick<CallOptions, 'providerOptions' | 'reasoning' | 'temperature' | 'abortSignal'>

type Stepped = {
  /** Null when the stream ended without a word about that. */
  readonly finish: Finish | null
  /** What its tools returned, quoted, where the model went on calling them instead of answering; null where it was done. */
  readonly unanswered: readonly string[] | null
}

/** What a tool takes, or waits for its place, is no silence of the model's. */
type ToolListener = { toolBegan(): void; toolEnded(): void }

type SteppedCall = {
  readonly model: VendorModel
  readonly instructions: string
  readonly messages: readonly ModelMessage[]
  readonly tools: ToolSet | null
}

export async function callInSteps(
  { model, instructions, messages, tools }: SteppedCall,
  options: SdkSettings,
  listener: Listener & ToolListener,
  write: (part: TextStreamPart<ToolSet>) => void,
): Promise<Stepped> {
  const loop = tools ? toolLoop(tools, model, listener) : null
  const result = streamText({
    model: withEarlyWords(model, listener),
    instructions,
    messages: [...messages],
    ...options,
    ...loop?.settings,
    // The model repeats its requests itself (asked-again.ts).
    maxRetries: 0,
    // Errors come as parts of the stream; without this the SDK also prints them.
    onError: () => {},
  })
  let finish: Finish | null = null
  let steps = 0
  let wantsMore = false
  for await (const part of result.stream) {
    if (options.abortSignal?.aborted) return { finish: null, unanswered: null }
    listener.heard()
    if (part.type === 'start-step') steps += 1
    const isLast = loop !== null && steps === maxToolSteps
    if (part.type === 'error') {
      const error = streamError(part.error)
      if (!loop?.isInLast() || !isAboutTools(error)) throw error
      wantsMore = true
      break
    }
    // There is nothing left to call: what it calls all the same is no part of the answer.
    if (isLast && part.type.startsWith('tool-')) {
      wantsMore = true
      continue
    }
    if (part.type === 'finish') finish = { reason: part.finishReason, raw: part.rawFinishReason }
    write(part)
  }
  // One that reaches its length limit in the midst of its calls would reach it again.
  if (loop?.isStuck() && finish?.reason !== 'length') wantsMore = true
  return { finish, unanswered: wantsMore ? (loop?.found() ?? []) : null }
}

/** That it called what it may not, or that its vendor reads no calls of before where nothing may be called. */
const isAboutTools = (error: unknown): boolean => ['model_nonsense', 'model_error'].includes(failureOf(error).code)

/** Ours: a call that nobody could use is told to the model, which may do better; one that does no better then never will. */
const maxUselessSteps = 2

function toolLoop(tools: ToolSet, { modelId }: VendorModel, { toolBegan, toolEnded }: ToolListener) {
  let told: readonly ModelMessage[] = []
  let isStuck = false
  let isInLast = false
  return {
    settings: {
      tools,
      // Not when it is called: the model says the rest of its step first, and may fall silent there.
      onToolExecutionStart: toolBegan,
      onToolExecutionEnd: toolEnded,
      stopWhen: [
        isStepCount(maxToolSteps),
        ({ steps }: { readonly steps: readonly StepResult<ToolSet>[] }) => {
          isStuck = steps.length >= maxUselessSteps && steps.slice(-maxUselessSteps).every(isUseless(tools))
          return isStuck
        },
      ],
      prepareStep: ({ stepNumber, messages }: { readonly stepNumber: number; readonly messages: readonly ModelMessage[] }) => {
        told = messages
        isInLast = stepNumber === maxToolSteps - 1
        if (!isInLast) return { activeTools: offeredTools(tools, messages) }
        return wantsToolsNamed.test(modelId) ? ({ toolChoice: 'none' } as const) : { activeTools: [] }
      },
    },
    /** Also before its vendor has said anything. */
    isInLast: () => isInLast,
    isStuck: () => isStuck,
    found: () => quotedUntrusted(told),
  }
}

/** Anthropic takes no conversation in which tools were used from a request that names none, whoever serves its models. */
const wantsToolsNamed = /anthropic|claude/i

/** A search that is not offered any more is another matter: it was refused, and there is something else that the model may do. */
const isUseless =
  (tools: ToolSet) =>
  ({ toolCalls }: StepResult<ToolSet>): boolean =>
    toolCalls.length > 0 &&
    toolCalls.every((call) => call.invalid && !(NoSuchToolError.isInstance(call.error) && Object.hasOwn(tools, call.toolName)))

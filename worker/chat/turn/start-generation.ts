/** Chooses what a turn generates by its mode, and runs it without storage: chunks go to the writer, and the outcome to `onOutcome`. */
import { budgetFor } from '../../contract/models/context-budget.ts'
import { researchPlanOf } from '../../contract/research/research.ts'
import type { MessagePart } from '../../contract/threads/messages.ts'
import type { GenerationInput } from '../../contract/threads/turn.ts'
import { canSearch, type Settings } from '../../settings.ts'
import { type Generate, type Outcome, type RunHost, runModel } from '../model/call.ts'
import { callSettings, isCacheable } from '../model/call-settings.ts'
import { type Failure, failure } from '../model/failures.ts'
import type { AttachedFiles } from '../model/files.ts'
import { instructionsFor, modelMessages } from '../model/prompt.ts'
import type { ConnectedModel } from '../model/providers.ts'
import { toolTokens } from '../model/tool-tokens.ts'
import { generatePlan } from '../research/make-plan.ts'
import type { Emit } from '../research/research-log.ts'
import { generateResearch } from '../research/run-research.ts'
import { exa } from '../tools/exa.ts'
import { turnTools } from '../tools/turn-tools.ts'
import { foundForModel, type SearchConnection } from '../tools/turn-web.ts'
import type { ChunkWriter } from './chunk-writer.ts'

export type GenerationContext = {
  /** Existing parts: of the answer that this one continues, or from before a restart. */
  readonly parts: readonly MessagePart[]
  /** The files of the conversation. */
  readonly files: AttachedFiles
  /** Writes chunks that are not from a model's stream. */
  readonly emit: Emit
}

/** The generation of a turn, or the failure that prevents it. */
export function generationFor(
  input: GenerationInput,
  { model }: ConnectedModel,
  settings: Settings,
  { parts, files, emit }: GenerationContext,
): Generate | Failure {
  const call = callSettings(input.model, input.effort, input.fallbacks)
  const connection = input.mode === 'chat' ? null : connectSearch(settings)
  if (input.mode !== 'chat' && connection === null) return failure('search_unavailable')
  if (input.mode === 'research' && connection !== null) {
    const plan = researchPlanOf(parts)
    const research = { input, model, call, files, emit }
    return plan === null ? generatePlan(research) : generateResearch({ ...research, parts, plan, connection })
  }
  return (host) => {
    const tools = connection && turnTools({ history: input.history, continued: parts }, connection)
    return runModel(
      {
        model,
        instructions: instructionsFor(input, host.nowMs(), Object.keys(tools ?? {})),
        messages: modelMessages(input.history, parts, files, connection && foundForModel(connection.mark, parts)),
        ...call,
        tools,
        toolTokens: toolTokens(budgetFor(input.plan, input.model), input.history),
        isCacheable: isCacheable(input, tools !== null),
      },
      host,
    )
  }
}

/** The search provider of this deployment, or the stand-in of development. Null if search is off. */
function connectSearch(settings: Settings): SearchConnection | null {
  const standIn = canSearch(settings) ? (settings.standIns?.search ?? null) : null
  const provider = settings.search ? exa(settings.search, (input, init) => fetch(input, init)) : standIn
  return provider && { provider, mark: `data-${crypto.randomUUID()}` }
}

export type RunningGeneration = {
  readonly writer: ChunkWriter
  readonly startedAtMs: number
  /** Aborts the generation. Its later output is ignored. */
  stop(): void
}

type Host = Pick<RunHost, 'nowMs' | 'onRequest' | 'onResponse'> & { readonly onOutcome: (outcome: Outcome) => void }

/** Calls `onOutcome` once, unless the generation is stopped before. */
export function startGeneration(generate: Generate, writer: ChunkWriter, { onOutcome, ...host }: Host): RunningGeneration {
  const call = new AbortController()
  const run = async (): Promise<Outcome> => generate({ ...host, writer, signal: call.signal })
  const unexpected = (error: unknown): Outcome => ({ ending: 'failed', failure: failure('model_error'), error })
  void run()
    .catch(unexpected)
    .then((outcome) => {
      if (!call.signal.aborted) onOutcome(outcome)
    })
  return { writer, startedAtMs: host.nowMs(), stop: () => call.abort() }
}

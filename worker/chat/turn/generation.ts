/** The generation of a turn: what it sends to the model by its mode, without storage. */
import { budgetFor } from '../../contract/models/context-budget.ts'
import { searchesFor, searchTool } from '../../contract/models/tools.ts'
import { researchPlanOf } from '../../contract/research/research.ts'
import type { MessagePart } from '../../contract/threads/messages.ts'
import type { GenerationInput } from '../../contract/threads/turn.ts'
import { waitsForApproval } from '../../contract/tools/approvals.ts'
import { originsOfParts, webSource } from '../../contract/tools/taint.ts'
import { canSearch, type Settings } from '../../settings.ts'
import { type Generate, type Outcome, type RunHost, runModel } from '../model/call.ts'
import { callSettings, isCacheable } from '../model/call-settings.ts'
import { type Failure, failure } from '../model/failures.ts'
import type { AttachedFiles } from '../model/files.ts'
import { instructionsFor, memoryText, modelMessages } from '../model/prompt.ts'
import type { ConnectedModel } from '../model/providers.ts'
import { toolTokens } from '../model/tool-tokens.ts'
import type { Emit } from '../research/research-log.ts'
import { generatePlan, generateResearch } from '../research/run-research.ts'
import { approvalRequest, callsForModel, type Decisions, imagesOfCalls, type MadeCalls, makeDecidedCalls } from '../tools/decided-calls.ts'
import { exa } from '../tools/exa.ts'
import { type ToolSource, toolRegistry } from '../tools/registry.ts'
import { foundForModel, type SearchConnection } from '../tools/turn-web.ts'
import { newMark } from '../tools/untrusted.ts'
import { forcedSearchRule, webTools } from '../tools/web-source.ts'
import type { ChunkWriter } from './chunk-writer.ts'
import type { SummarizedHistory } from './summary.ts'

export type GenerationContext = {
  /** Existing parts: of the answer that this one continues, or from before a restart. */
  readonly parts: readonly MessagePart[]
  /** The decided calls of `parts`, and what marks them as sent. */
  readonly decisions?: Decisions | undefined
  /** The files of the conversation. */
  readonly files: AttachedFiles
  /** Writes chunks that are not from a model's stream. */
  readonly emit: Emit
  /** Absent for a resumed research. */
  readonly summarize?: (host: RunHost) => Promise<SummarizedHistory | null>
  /** Called before each search of the model. Throws a `ToolFailure` if no search remains. */
  readonly onSearch?: (() => Promise<void>) | undefined
  /** The tool servers of the user. Absent: none. */
  readonly servers?: (() => Promise<readonly ToolSource[]>) | undefined
}

/** The generation of a turn by its mode, or the failure that prevents it. */
export function generationFor(
  input: GenerationInput,
  { model, demo }: Pick<ConnectedModel, 'model' | 'demo'>,
  settings: Settings,
  { parts, decisions, files, emit, summarize, onSearch, servers }: GenerationContext,
): Generate | Failure {
  const { mode, offTools = [], origins = [] } = input
  const call = callSettings(input.model, input.effort, input.fallbacks)
  const connection = connectSearch(settings)
  if (mode !== 'chat' && connection === null) return failure('search_unavailable')
  if (mode === 'research' && connection !== null) {
    const plan = researchPlanOf(parts)
    const research = { input, model, call, files, emit }
    return plan === null ? generatePlan(research) : generateResearch({ ...research, parts, plan, connection })
  }
  return async (host) => {
    // A forced search needs no switch.
    const isWebOn = mode === 'search' || !offTools.includes(webSource)
    const context = { history: input.history, continued: parts }
    const web = connection && isWebOn ? [webTools(context, connection.provider, onSearch)] : []
    // The stand-in is for the demo model alone.
    const others = demo ? (settings.standIns?.tools.filter(({ id }) => !offTools.includes(id)) ?? []) : []
    const mark = connection?.mark ?? newMark()
    const canUse = input.model.capabilities?.includes('tools') ?? false
    const offered = canUse ? [...web, ...others, ...((await servers?.()) ?? [])] : []
    const registryFor = (known: readonly MessagePart[]) =>
      toolRegistry(offered, { mark, origins: [...origins, ...originsOfParts(known)], grants: input.grants ?? [], emit })
    const spendFee = (tool: string) => host.spending?.called(tool)
    const made = decisions
      ? await makeDecidedCalls(decisions, { registry: registryFor(parts), parts, emit, signal: host.signal, onMade: spendFee })
      : { parts, results: new Map() }
    if (waitsForApproval(made.parts)) return { ending: 'completed' }
    const sent = { ...input, ...(await summarize?.(host)) }
    // The answer was ended meanwhile, so nothing more is sent.
    if (host.signal.aborted) return { ending: 'completed' }
    // The results of the calls are in the context of the model now.
    const registry = registryFor(made.parts)
    const { tools, rules } = registry
    const marks = isCacheable(sent, tools !== null)
    const firstTool = mode === 'search' && !decisions && searchesFor(parts) > 0 ? searchTool : undefined
    return runModel(
      {
        model,
        instructions: instructionsFor(input, host.nowMs(), rules && [rules, ...(firstTool ? [forcedSearchRule] : [])].join('\n')),
        messages: modelMessages(sent.history, made.parts, files, {
          materials: [memoryText(input.profile.memories), foundBefore(mark, made)],
          images: imagesOfCalls(made),
          isCacheable: marks,
        }),
        ...call,
        tools,
        firstTool,
        approvalFor: (asked, messages) => approvalRequest(registry, asked, messages),
        toolTokens: toolTokens(
          budgetFor(input.plan, input.model),
          sent.history,
          offered.reduce((sum, { definitionTokens = 0 }) => sum + definitionTokens, 0),
        ),
        isCacheable: marks,
      },
      host,
    )
  }
}

/** The search provider of this deployment, or the stand-in of development. Null if search is off. */
function connectSearch(settings: Settings): SearchConnection | null {
  const standIn = canSearch(settings) ? (settings.standIns?.search ?? null) : null
  const provider = settings.search ? exa(settings.search, (input, init) => fetch(input, init)) : standIn
  return provider && { provider, mark: newMark() }
}

/** The results of an answer's tools, for the model that continues the answer; null if there are none. */
function foundBefore(mark: string, made: MadeCalls): string | null {
  const found = [foundForModel(mark, made.parts), callsForModel(mark, made)].filter((text) => text !== null)
  return found.length === 0 ? null : found.join('\n\n')
}

export type RunningGeneration = {
  readonly writer: ChunkWriter
  readonly startedAtMs: number
  /** Aborts the generation. Its later output is ignored. */
  stop(): void
}

type Host = Pick<RunHost, 'nowMs' | 'onRequest' | 'onResponse' | 'telemetry' | 'spending'> & {
  readonly onOutcome: (outcome: Outcome) => void
}

/** Runs a generation without storage. Chunks go to the writer. Calls `onOutcome` once, unless the generation is stopped before. */
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

/**
 * Runs an approved plan: each step searches, reads pages and takes notes; then the report is written from the notes. The queries come from
 * the plan and the pages from their results, so text from the web cannot choose what is searched or opened.
 *
 * Invariant: a call with a stored result is never repeated. A call without one is repeated once after a restart.
 */
import type { ModelMessage } from 'ai'
import { maxPagesPerStep, maxPlanSteps, maxQueriesPerStep } from '../../contract/limits.ts'
import { type MessagePart, textOf } from '../../contract/messages.ts'
import { findingsCallId, findingsOf, findingsTool, type Plan, type PlanStep, searchCallId } from '../../contract/research.ts'
import { isPageRead, type SearchOutput, searchOutputOf, searchTool } from '../../contract/tools.ts'
import { type Outcome, type RunHost, runModel } from '../model/call.ts'
import type { CallSettings } from '../model/call-settings.ts'
import { failure } from '../model/failures.ts'
import type { AttachedFiles } from '../model/files.ts'
import { continueRequest, conversationWords, instructionsFor, modelMessages, withMaterial } from '../model/prompt.ts'
import type { VendorModel } from '../model/types.ts'
import { pageForModel, searchForModel, type ToolWorld, type TurnWeb, turnWeb } from '../tools/turn-web.ts'
import type { Work, WorkOrder } from '../turn/live-run.ts'
import { type Emit, Journal } from './journal.ts'
import { notesMessages, notesRequest, reportMaterial, type StepReport } from './prompts.ts'
import { quietCall } from './quiet-call.ts'
import { readPages } from './read-pages.ts'

type Research = {
  readonly order: WorkOrder
  readonly model: VendorModel
  readonly call: CallSettings
  readonly files: AttachedFiles
  readonly plan: Plan
  readonly parts: readonly MessagePart[]
  readonly world: ToolWorld
  readonly emit: Emit
}

/** Pages that were read before a restart are read again if their notes are missing. */
const capsFor = (parts: readonly MessagePart[]) => ({
  searches: maxPlanSteps * maxQueriesPerStep,
  reads: maxPlanSteps * maxPagesPerStep + parts.filter(isPageRead).length,
})

type Context = Research & { readonly journal: Journal; readonly web: TurnWeb; readonly host: RunHost }

export const researchWork =
  (research: Research): Work =>
  async (host) => {
    const { order, parts, plan, world, emit } = research
    // Only results of the plan's searches may be opened, whatever the conversation contains.
    const onSearch = () => host.onRequest?.()
    const web = turnWeb({ history: [], continued: parts }, world, { ...capsFor(parts), onSearch })
    const context: Context = { ...research, journal: new Journal(parts, emit), web, host }
    const reports: StepReport[] = []
    try {
      for (const step of plan.steps) {
        // The answer was ended or continued elsewhere, so nothing more is written.
        if (host.signal.aborted) return { ending: 'completed' }
        const report = await carryOut(step, context)
        if ('ending' in report) return report
        reports.push(report)
      }
    } catch (error) {
      return { ending: 'failed', failure: failure('model_error'), error }
    }
    if (host.signal.aborted) return { ending: 'completed' }
    if (reports.every(({ hasFailed }) => hasFailed))
      return { ending: 'failed', failure: failure('search_failed'), error: new Error('every search of the plan failed') }
    return runModel(
      {
        model: research.model,
        instructions: instructionsFor(order, host.nowMs()),
        messages: reportMessages(research, reportMaterial(world.mark, reports), textOf({ parts })),
        ...research.call,
        tools: null,
      },
      host,
    )
  }

async function carryOut(step: PlanStep, context: Context): Promise<StepReport | Outcome> {
  const { journal, world, host } = context
  const known = journal.call(findingsCallId(step.id))
  const before = known ? findingsOf(known) : null
  if (before !== null) return { step, findings: before, hasFailed: false }
  const searches = await searchFor(step, context)
  const pages = await readPages(step, searches, { ...context, signal: host.signal })
  const found = searches.filter((search) => search !== null)
  if (found.every(({ results }) => results.length === 0)) return { step, findings: null, hasFailed: found.length === 0 }
  if (host.signal.aborted) return { ending: 'completed' }
  const material = [...found.map((search) => searchForModel(world.mark, search)), ...pages.map((page) => pageForModel(world.mark, page))]
  return takeNotes(step, material, context)
}

const searchFor = (step: PlanStep, { journal, web, host: { signal } }: Context): Promise<readonly (SearchOutput | null)[]> =>
  Promise.all(
    (step.queries.length > 0 ? step.queries : [step.text]).map(async (query, index) => {
      const id = searchCallId(step.id, index)
      const known = journal.call(id)
      const before = known ? searchOutputOf(known) : null
      if (before) return before
      const search = async () => {
        const output = await web.search(query, signal)
        return { value: output, shown: output }
      }
      return journal.once({ id, tool: searchTool, input: { query, step: step.id } }, search, signal)
    }),
  )

async function takeNotes(step: PlanStep, material: readonly string[], context: Context): Promise<StepReport | Outcome> {
  const { order, model, call, journal, host } = context
  const { history } = order
  const [asked] = conversationWords(history.slice(-1), { maxChars: Number.POSITIVE_INFINITY, maxCharsEach: Number.POSITIVE_INFINITY })
  let outcome: Outcome | null = null
  const note = async () => {
    const messages = notesMessages(conversationWords(history.slice(0, -1), beforeQuestion), asked?.content ?? '', step, material)
    const said = await quietCall({ model, instructions: notesRequest, messages, ...call }, host)
    if ('text' in said) return { value: said.text, shown: { text: said.text } }
    outcome = said.outcome
    throw new NoNotes()
  }
  try {
    const findings = await journal.once({ id: findingsCallId(step.id), tool: findingsTool, input: { step: step.id } }, note, host.signal)
    return { step, findings, hasFailed: false }
  } catch (error) {
    if (error instanceof NoNotes && outcome) return outcome
    throw error
  }
}

/** Chosen: every step receives it, because a question such as "and in Germany?" depends on the messages before it. */
const beforeQuestion = { maxChars: 16_000, maxCharsEach: 4000 }

class NoNotes extends Error {
  override readonly name = 'NoNotes'
}

/** The question, then the notes, then the part of the report that was written before an interruption. */
function reportMessages({ order: { history }, files }: Research, material: string, begun: string): ModelMessage[] {
  const messages = withMaterial(modelMessages(history, [], files), material)
  if (begun.trim() === '') return messages
  return [...messages, { role: 'assistant', content: begun }, { role: 'user', content: continueRequest }]
}

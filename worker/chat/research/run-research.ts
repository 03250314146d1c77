/**
 * An approved plan carried out: each step searches, reads and takes notes; then the report is written from the notes. What is searched
 * for stands in the plan and what is opened was found by those searches, so a model that has read the web decides nothing but words.
 *
 * Always holds: what has a result is never done again; a call that was in the air when the object died is made once more.
 */
import type { ReadonlyJSONValue } from '@rocicorp/zero'
import type { ModelMessage, UserContent } from 'ai'
import { maxPagesPerStep, maxPlanSteps, maxQueriesPerStep } from '../../contract/limits.ts'
import { type MessagePart, textOf } from '../../contract/messages.ts'
import {
  findingsCallId,
  findingsOf,
  findingsTool,
  type Plan,
  type PlanStep,
  pageCallId,
  searchCallId,
  stepOf,
} from '../../contract/research.ts'
import { isPageRead, pageOutputOf, readPageTool, type SearchOutput, searchOutputOf, searchTool } from '../../contract/tools.ts'
import type { AttachedFiles } from '../attached-files.ts'
import { failure } from '../failures.ts'
import type { Work } from '../live-run.ts'
import type { CallSettings } from '../models/call-settings.ts'
import type { VendorModel } from '../models/vendor-model.ts'
import { continueRequest, instructionsFor, modelMessages } from '../prompt.ts'
import { type Outcome, type RunHost, runModel } from '../run.ts'
import { pageForModel, type ReadPage, searchForModel, shownOutput, type ToolWorld, type TurnWeb, turnWeb } from '../tools/turn-web.ts'
import type { WorkOrder } from '../turn-work.ts'
import { type Emit, Journal } from './journal.ts'
import { notesMessages, notesRequest, reportMaterial, type StepReport } from './prompts.ts'
import { quietCall } from './quiet-call.ts'

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

const caps = { searches: maxPlanSteps * maxQueriesPerStep, reads: maxPlanSteps * maxPagesPerStep }

type Context = Research & { readonly journal: Journal; readonly web: TurnWeb; readonly host: RunHost }

export const researchWork =
  (research: Research): Work =>
  async (host) => {
    const { order, parts, plan, world, emit } = research
    // Nothing the person said elsewhere gives a right to open anything: only the searches of the plan do.
    const web = turnWeb({ history: [], continued: parts }, world, caps)
    const context: Context = { ...research, journal: new Journal(parts, emit), web, host }
    const reports: StepReport[] = []
    try {
      for (const step of plan.steps) {
        // Somebody else has ended the answer, or carries it on: from here on not a word.
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
  const pages = await readFor(step, searches, context)
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

/** The best of each search, the first of all first, and no page that an earlier step has read. */
async function readFor(
  step: PlanStep,
  searches: readonly (SearchOutput | null)[],
  { journal, web, host: { signal } }: Context,
): Promise<readonly ReadPage[]> {
  const ranks = searches.map((search) => search?.results ?? [])
  const inTurn = Array.from({ length: Math.max(0, ...ranks.map(({ length }) => length)) }, (_, rank) =>
    ranks.flatMap((list) => list[rank] ?? []),
  )
  const others = journal.parts.filter(isPageRead).filter((part) => stepOf(part) !== step.id)
  const seen = new Set(others.map((part) => pageOutputOf(part)?.number))
  const chosen = inTurn
    .flat()
    .filter(({ number }) => !seen.has(number) && seen.add(number))
    .slice(0, maxPagesPerStep)
  const pages = await Promise.all(
    chosen.map(async ({ url }, index) => {
      const id = pageCallId(step.id, index)
      const read = async () => {
        const page = await web.readPage(url, signal)
        return { value: page, shown: shownOutput(page) as ReadonlyJSONValue }
      }
      // Its text is not kept. A page is nobody's bill: it is fetched again, and when that fails its notes do without it.
      const known = journal.call(id)
      if (known && pageOutputOf(known)) return (await read().catch(() => null))?.value ?? null
      return journal.once({ id, tool: readPageTool, input: { url, step: step.id } }, read, signal)
    }),
  )
  return pages.filter((page) => page !== null)
}

async function takeNotes(step: PlanStep, material: readonly string[], context: Context): Promise<StepReport | Outcome> {
  const { order, model, call, journal, host } = context
  const { history } = order
  const question = textOf(history.at(-1) ?? { parts: [] })
  let outcome: Outcome | null = null
  const note = async () => {
    const said = await quietCall({ model, instructions: notesRequest, messages: notesMessages(question, step, material), ...call }, host)
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

class NoNotes extends Error {
  override readonly name = 'NoNotes'
}

/** The notes stand behind the question, and what was written of the report before it was cut off behind them. */
function reportMessages({ order: { history }, files }: Research, material: string, begun: string): ModelMessage[] {
  const said = modelMessages(history, [], files)
  const question = said.at(-1)
  const asked: ModelMessage = { role: 'user', content: withMaterial(question?.role === 'user' ? question.content : '', material) }
  const messages = [...(question?.role === 'user' ? said.slice(0, -1) : said), asked]
  if (begun.trim() === '') return messages
  return [...messages, { role: 'assistant', content: begun }, { role: 'user', content: continueRequest }]
}

/** Words stay words: a conversation of nothing else goes to the vendor without the SDK's detours. */
const withMaterial = (question: UserContent, material: string): UserContent =>
  typeof question === 'string' ? `${question}\n\n${material}` : [...question, { type: 'text', text: material }]

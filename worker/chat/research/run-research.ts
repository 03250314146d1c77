/**
 * Runs an approved plan: each step searches, reads pages and takes notes; then the report is written from the notes. The queries come from
 * the plan and the pages from their results, so text from the web cannot choose what is searched or opened.
 *
 * Invariant: a call with a stored result is never repeated. A call without one is repeated once after a restart.
 */
import type { ReadonlyJSONValue } from '@rocicorp/zero'
import type { ModelMessage } from 'ai'
import { maxPagesPerStep, maxPlanStepChars, maxPlanSteps, maxQueriesPerStep, maxQueryChars } from '../../contract/limits.ts'
import { researchReport, researchStep } from '../../contract/models/quote.ts'
import { instructionTokens, messageTokens, textTokens } from '../../contract/models/token-estimates.ts'
import { isPageRead, readPageTool, type SearchOutput, searchOutputOf, searchTool } from '../../contract/models/tools.ts'
import { type PlanStep, planTool, type ResearchPlan, wordsBeforeQuestion, wordsOfQuestion } from '../../contract/research/research.ts'
import { findingsCallId, findingsOf, findingsTool, pageCallId, searchCallId, stepOf } from '../../contract/research/research-calls.ts'
import { cutAt } from '../../contract/text.ts'
import { type MessagePart, textOf } from '../../contract/threads/messages.ts'
import { pageOutputOf, requestedOf } from '../../contract/threads/sources.ts'
import type { GenerationInput } from '../../contract/threads/turn.ts'
import { type Generate, type Outcome, type RunHost, runModel, runModelForText } from '../model/call.ts'
import type { CallSettings } from '../model/call-settings.ts'
import { failure } from '../model/failures.ts'
import type { AttachedFiles } from '../model/files.ts'
import { continueRequest, conversationWords, instructionsFor, modelMessages, withMaterial } from '../model/prompt.ts'
import type { ProviderModel } from '../model/types.ts'
import {
  pageForModel,
  type ReadPage,
  type SearchConnection,
  searchForModel,
  shownOutput,
  type TurnWeb,
  turnWeb,
} from '../tools/turn-web.ts'
import { notesMessages, notesRequest, planRequest, reportMaterial, type StepReport } from './prompts.ts'
import { type Emit, ResearchLog } from './research-log.ts'

type Research = {
  readonly input: GenerationInput
  readonly model: ProviderModel
  readonly call: CallSettings
  readonly files: AttachedFiles
  readonly plan: ResearchPlan
  readonly parts: readonly MessagePart[]
  readonly connection: SearchConnection
  readonly emit: Emit
}

/** Pages that were read before a restart are read again if their notes are missing. */
const capsFor = (parts: readonly MessagePart[]) => ({
  searches: maxPlanSteps * maxQueriesPerStep,
  reads: maxPlanSteps * maxPagesPerStep + parts.filter(isPageRead).length,
})

/** Chosen: the notes of the next step, in the report. */
const maxNoteTokens = 1_500

type Context = Research & { readonly log: ResearchLog; readonly web: TurnWeb; readonly host: RunHost }

export const generateResearch =
  (research: Research): Generate =>
  async (host) => {
    const { input, parts, plan, connection, emit } = research
    // Only results of the plan's searches may be opened, whatever the conversation contains.
    const onSearch = () => host.onRequest?.()
    const web = turnWeb({ history: [], continued: parts }, connection, { ...capsFor(parts), onSearch })
    const context: Context = { ...research, log: new ResearchLog(parts, emit), web, host }
    const reports: StepReport[] = []
    try {
      for (const step of plan.steps) {
        // The answer was ended or continued elsewhere, so nothing more is written.
        if (host.signal.aborted) return { ending: 'completed' }
        // The report is written from the notes that the credits sufficed for.
        if (!affordsStep(step, reports, context) && reports.length > 0) break
        const report = await runStep(step, context)
        if ('ending' in report) return report
        reports.push(report)
      }
    } catch (error) {
      return { ending: 'failed', failure: failure('model_error'), error }
    }
    if (host.signal.aborted) return { ending: 'completed' }
    if (reports.every(({ hasFailed }) => hasFailed))
      return { ending: 'failed', failure: failure('search_failed'), error: new Error('every search of the plan failed') }
    host.spending?.release()
    return runModel(
      {
        model: research.model,
        instructions: instructionsFor(input, host.nowMs()),
        messages: reportMessages(research, reportMaterial(connection.mark, reports), textOf({ parts })),
        ...research.call,
        tools: null,
      },
      host,
    )
  }

/** Keeps the credits of the report. A step whose notes are known costs nothing. */
function affordsStep(step: PlanStep, reports: readonly StepReport[], { input, log, host: { spending } }: Context): boolean {
  if (!spending || log.call(findingsCallId(step.id))) return true
  const inputTokens = input.history.reduce((sum, message) => sum + messageTokens(message), instructionTokens)
  const noteTokens = reports.reduce((sum, { findings }) => sum + textTokens(findings ?? ''), maxNoteTokens)
  return spending.holdReport(researchReport(inputTokens, noteTokens), researchStep(inputTokens))
}

async function runStep(step: PlanStep, context: Context): Promise<StepReport | Outcome> {
  const { log, connection, host } = context
  const known = log.call(findingsCallId(step.id))
  const before = known ? findingsOf(known) : null
  if (before !== null) return { step, findings: before, hasFailed: false }
  const searches = await searchFor(step, context)
  const pages = await readPages(step, searches, context)
  const found = searches.filter((search) => search !== null)
  if (found.every(({ results }) => results.length === 0)) return { step, findings: null, hasFailed: found.length === 0 }
  if (host.signal.aborted) return { ending: 'completed' }
  const material = [
    ...found.map((search) => searchForModel(connection.mark, search)),
    ...pages.map((page) => pageForModel(connection.mark, page)),
  ]
  return takeNotes(step, material, context)
}

const searchFor = (step: PlanStep, { log, web, host: { signal, spending } }: Context): Promise<readonly (SearchOutput | null)[]> =>
  Promise.all(
    (step.queries.length > 0 ? step.queries : [step.text]).map(async (query, index) => {
      const id = searchCallId(step.id, index)
      const known = log.call(id)
      const before = known ? searchOutputOf(known) : null
      if (before) return before
      const search = async () => {
        const output = await web.search(query, signal)
        spending?.called(searchTool)
        return { value: output, shown: output }
      }
      return log.once({ id, tool: searchTool, input: { query, step: step.id } }, search, signal)
    }),
  )

async function takeNotes(step: PlanStep, material: readonly string[], context: Context): Promise<StepReport | Outcome> {
  const { input, model, call, log, host } = context
  const { history } = input
  const [asked] = conversationWords(history.slice(-1), wordsOfQuestion)
  let outcome: Outcome | null = null
  const note = async () => {
    const messages = notesMessages(conversationWords(history.slice(0, -1), wordsBeforeQuestion), asked?.content ?? '', step, material)
    const notes = await runModelForText({ model, instructions: notesRequest, messages, ...call }, host)
    if ('text' in notes) return { value: notes.text, shown: { text: notes.text } }
    outcome = notes.outcome
    throw new NoNotes()
  }
  try {
    const findings = await log.once({ id: findingsCallId(step.id), tool: findingsTool, input: { step: step.id } }, note, host.signal)
    return { step, findings, hasFailed: false }
  } catch (error) {
    if (error instanceof NoNotes && outcome) return outcome
    throw error
  }
}

class NoNotes extends Error {
  override readonly name = 'NoNotes'
}

/** The question, then the notes, then the part of the report that was written before an interruption. */
function reportMessages({ input: { history }, files }: Research, material: string, begun: string): ModelMessage[] {
  const messages = withMaterial(modelMessages(history, [], files), material)
  if (begun.trim() === '') return messages
  return [...messages, { role: 'assistant', content: begun }, { role: 'user', content: continueRequest }]
}

/**
 * Reads the pages of one research step, selected from its results. Invariant: the notes are made from the pages that the step shows as read,
 * also after a restart that finds more results.
 */
async function readPages(
  step: PlanStep,
  searches: readonly (SearchOutput | null)[],
  { log, web, host: { signal, spending } }: Pick<Context, 'log' | 'web' | 'host'>,
): Promise<readonly ReadPage[]> {
  const calls = log.parts.filter(isPageRead)
  const ofThisStep = calls.filter((call) => stepOf(call) === step.id)
  const ofOtherSteps = calls.filter((call) => stepOf(call) !== step.id)
  const best = bestOf(searches, new Set(ofOtherSteps.map((call) => pageOutputOf(call)?.number)))
  const readBefore = ofThisStep.filter((call) => pageOutputOf(call) !== null).map(requestedOf)
  const idFor = idsOf(step, new Map(ofThisStep.map((call) => [requestedOf(call), call.toolCallId])))
  const chosen = [...new Set([...best, ...readBefore])].map((url) => ({ url, id: idFor(url) }))
  const pages = await Promise.all(
    chosen.map(async ({ url, id }) => {
      const read = async () => {
        const page = await web.readPage(url, signal)
        spending?.called(readPageTool)
        return { value: page, shown: shownOutput(page) as ReadonlyJSONValue }
      }
      // The text of a page is not stored, so it is read again; without it the notes are made from the other pages.
      const known = log.call(id)
      if (known && pageOutputOf(known)) return (await read().catch(() => null))?.value ?? null
      return log.once({ id, tool: readPageTool, input: { url, step: step.id } }, read, signal)
    }),
  )
  return pages.filter((page) => page !== null)
}

/** The best result of each search first, without pages of earlier steps. */
function bestOf(searches: readonly (SearchOutput | null)[], read: ReadonlySet<number | undefined>): readonly string[] {
  const ranks = searches.map((search) => search?.results ?? [])
  const inTurn = Array.from({ length: Math.max(0, ...ranks.map(({ length }) => length)) }, (_, rank) =>
    ranks.flatMap((list) => list[rank] ?? []),
  )
  const seen = new Set(read)
  return inTurn
    .flat()
    .filter(({ number }) => !seen.has(number) && seen.add(number))
    .slice(0, maxPagesPerStep)
    .map(({ url }) => url)
}

/** A page keeps its tool call id. A new page gets the first free number. */
function idsOf(step: PlanStep, known: ReadonlyMap<string, string>): (url: string) => string {
  const taken = new Set(known.values())
  return (url) => {
    const before = known.get(url)
    if (before !== undefined) return before
    let index = 0
    while (taken.has(pageCallId(step.id, index))) index += 1
    const id = pageCallId(step.id, index)
    taken.add(id)
    return id
  }
}

/** Makes the plan of a research, as a free answer of its own. Nothing is searched before the user approves it. */
type PlanRequest = {
  readonly input: GenerationInput
  readonly model: ProviderModel
  readonly call: CallSettings
  readonly files: AttachedFiles
  readonly emit: Emit
}

export const generatePlan =
  ({ input, model, call, files, emit }: PlanRequest): Generate =>
  async (host) => {
    const toolCallId = planTool
    emit({ type: 'tool-input-start', toolCallId, toolName: planTool })
    const instructions = `${instructionsFor({ ...input, mode: 'chat' }, host.nowMs())}\n\n# The plan\n${planRequest}`
    const answer = await runModelForText({ model, instructions, messages: modelMessages(input.history, [], files), ...call }, host)
    if ('outcome' in answer || host.signal.aborted) return 'outcome' in answer ? answer.outcome : { ending: 'completed' }
    const question = input.history.at(-1)
    const plan = planFrom(answer.text, question ? cutAt(textOf(question), maxPlanStepChars) : '')
    emit({ type: 'tool-input-available', toolCallId, toolName: planTool, input: {} })
    emit({ type: 'tool-output-available', toolCallId, output: plan })
    return { ending: 'completed' }
  }

/** The text begins with a character that is not a space, so that the match stays linear. */
const stepLine = /^\s*(?:\d+\s*[.):]|[-*+•])\s+(\S.*)/s

/** Tolerant, because models vary the format. Never empty: without a valid step the question is the only one. */
export function planFrom(text: string, question: string): ResearchPlan {
  const lines = text.split('\n').flatMap((line) => stepLine.exec(line)?.[1] ?? [])
  const steps = lines.map(stepFrom).filter((step) => step !== null)
  const found = steps.length > 0 ? steps : [stepFrom(question) ?? { text: 'Find out what is known', queries: [] }]
  return { steps: found.slice(0, maxPlanSteps).map((step, index) => ({ id: `step-${index + 1}`, ...step })) }
}

function stepFrom(line: string): Omit<PlanStep, 'id'> | null {
  const [question = '', searches = ''] = line.split(/=>|⇒|→/, 2)
  const text = cutAt(plain(question), maxPlanStepChars)
  if (text === '') return null
  const queries = searches.split(';').map((query) => cutAt(plain(query), maxQueryChars))
  return { text, queries: [...new Set(queries.filter((query) => query !== ''))].slice(0, maxQueriesPerStep) }
}

/** Removes Markdown and quotes around queries. */
const plain = (text: string): string =>
  text
    .replace(/\*\*|__|`/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^["“„«](.*)["”“»]$/u, '$1')
    .trim()

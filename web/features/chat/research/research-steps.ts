/** The view model of a research: its steps, the calls of each step and a summary. */

import { isPageRead, isSearch, searchOutputOf } from '../../../../worker/contract/models/tools.ts'
import { isPlan, type PlanStep, researchPlanOf } from '../../../../worker/contract/research/research.ts'
import { findingsCallId, findingsOf, isFindings, stepOf } from '../../../../worker/contract/research/research-calls.ts'
import type { ToolPart } from '../../../../worker/contract/threads/messages.ts'
import { requestedOf } from '../../../../worker/contract/threads/sources.ts'
import { t } from './texts/en.ts'
import { isOpenCall, isUnfinished, siteIn } from './web-summary.ts'

export type StepView = {
  readonly id: string
  readonly text: string
  readonly state: 'waiting' | 'running' | 'done' | 'empty' | 'failed' | 'unfinished'
  /** Searches and page reads. */
  readonly calls: readonly ToolPart[]
  /** The findings in Markdown; null until they are written. */
  readonly findings: string | null
}

/** `isRunning`: more calls may follow. */
export function stepsOf(calls: readonly ToolPart[], isRunning: boolean): readonly StepView[] {
  const steps = researchPlanOf(calls)?.steps ?? []
  const lastBegun = steps.findLastIndex(({ id }) => calls.some((call) => stepOf(call) === id))
  return steps.map((step, index) => stepView(step, calls, isRunning && index === lastBegun))
}

function stepView({ id, text, queries }: PlanStep, all: readonly ToolPart[], isNewest: boolean): StepView {
  const mine = all.filter((call) => stepOf(call) === id)
  const calls = mine.filter((call) => isSearch(call) || isPageRead(call))
  const notes = mine.find(({ toolCallId }) => toolCallId === findingsCallId(id))
  const findings = notes ? findingsOf(notes) : null
  // All searches of a step start at once. A step without pages and findings is finished when they are.
  const isOver = calls.filter(isSearch).length >= Math.max(1, queries.length) && !calls.some(mayBeFollowed)
  return { id, text, calls, findings, state: stateOf(calls, notes, findings, isNewest && !isOver) }
}

const mayBeFollowed = (call: ToolPart): boolean => isOpenCall(call) || !isSearch(call) || (searchOutputOf(call)?.results.length ?? 0) > 0

function stateOf(calls: readonly ToolPart[], notes: ToolPart | undefined, findings: string | null, isNewest: boolean): StepView['state'] {
  if (findings !== null) return 'done'
  if (isNewest && (calls.some(isOpenCall) || notes === undefined || isOpenCall(notes))) return 'running'
  const searches = calls.filter(isSearch)
  if (searches.length === 0) return 'waiting'
  if (calls.some(isUnfinished) || (notes && isUnfinished(notes))) return 'unfinished'
  if (notes?.state === 'output-error' || searches.every(({ state }) => state === 'output-error')) return 'failed'
  return notes === undefined ? 'empty' : 'waiting'
}

/** While running: the current activity. Afterwards: the result. */
export function researchSummary(calls: readonly ToolPart[], isRunning: boolean): string {
  const plan = researchPlanOf(calls)
  const planning = calls.find(isPlan)
  if (!plan) return t(planning && isOpenCall(planning) ? 'planning' : 'planUnfinished')
  if (isRunning && isWriting(calls)) return t('writingReport')
  if (isRunning) return progressText(plan.steps, calls)
  // The user sent a message after the plan, or dismissed it: the plan was never approved.
  if (!calls.some((call) => stepOf(call) !== null)) return t('notStarted', { steps: plan.steps.length })
  const searches = calls.filter((call) => isSearch(call) && call.state === 'output-available').length
  const reads = calls.filter((call) => isPageRead(call) && call.state === 'output-available').length
  const done = plan.steps.filter(({ id }) => calls.some((call) => stepOf(call) === id && findingsOf(call) !== null)).length
  const steps = plan.steps.length
  const researched = done === steps ? t('researched', { steps }) : t('researchedOf', { done, steps })
  return [researched, t('searches', { count: searches }), t('pages', { count: reads })].join(' · ')
}

/** True if every step is finished and at least one has findings. */
function isWriting(calls: readonly ToolPart[]): boolean {
  const states = stepsOf(calls, true).map(({ state }) => state)
  return states.every((state) => overStates.has(state)) && states.some((state) => state !== 'failed')
}

const overStates: ReadonlySet<StepView['state']> = new Set(['done', 'empty', 'failed'])

function progressText(steps: readonly PlanStep[], calls: readonly ToolPart[]): string {
  const last = steps.findLastIndex(({ id }) => calls.some((call) => stepOf(call) === id))
  const now = doingNow(calls)
  return last === -1 ? t('now', { now }) : t('atStep', { at: last + 1, steps: steps.length, now })
}

function doingNow(calls: readonly ToolPart[]): string {
  const current = calls.findLast(isOpenCall)
  if (!current) return t('researching')
  if (isFindings(current)) return t('takingNotes')
  const asked = requestedOf(current)
  if (isSearch(current)) return t('searchingFor', { query: t('quoted', { text: asked }) })
  const site = siteIn(asked)
  return site ? t('readingSite', { site }) : t('readingPage')
}

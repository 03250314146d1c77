/** Makes the plan of a research, as a free answer of its own. Nothing is searched before the user approves it. */
import { maxPlanStepChars, maxPlanSteps, maxQueriesPerStep, maxQueryChars } from '../../contract/limits.ts'
import { type PlanStep, planTool, type ResearchPlan } from '../../contract/research/research.ts'
import { cutAt } from '../../contract/text.ts'
import { textOf } from '../../contract/threads/messages.ts'
import type { GenerationInput } from '../../contract/threads/turn.ts'
import { type Generate, runModelForText } from '../model/call.ts'
import type { CallSettings } from '../model/call-settings.ts'
import type { AttachedFiles } from '../model/files.ts'
import { instructionsFor, modelMessages } from '../model/prompt.ts'
import type { ProviderModel } from '../model/types.ts'
import { planRequest } from './prompts.ts'
import type { Emit } from './research-log.ts'

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

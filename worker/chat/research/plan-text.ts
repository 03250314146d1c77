/** Parses a plan from a model's text. Tolerant, because models vary the format. */
import { maxPlanStepChars, maxPlanSteps, maxQueriesPerStep, maxQueryChars } from '../../contract/limits.ts'
import type { Plan, PlanStep } from '../../contract/research.ts'
import { cutAt } from '../../contract/text-end.ts'

/** The text begins with a character that is not a space, so that the match stays linear. */
const stepLine = /^\s*(?:\d+\s*[.):]|[-*+•])\s+(\S.*)/s

/** Never empty: without a valid step the question is the only one. */
export function planFrom(text: string, question: string): Plan {
  const lines = text.split('\n').flatMap((line) => stepLine.exec(line)?.[1] ?? [])
  const steps = lines.map(stepFrom).filter((step) => step !== null)
  const found = steps.length > 0 ? steps : [stepFrom(question) ?? { text: 'Find out what is known', queries: [] }]
  return { steps: found.slice(0, maxPlanSteps).map((step, index) => ({ id: `step-${index + 1}`, ...step })) }
}

function stepFrom(line: string): Omit<PlanStep, 'id'> | null {
  const [said = '', asked = ''] = line.split(/=>|⇒|→/, 2)
  const text = cutAt(plain(said), maxPlanStepChars)
  if (text === '') return null
  const queries = asked.split(';').map((query) => cutAt(plain(query), maxQueryChars))
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

/**
 * Events of OpenAI's protocol as many servers write them, made into those that its package reads. It takes an error that is told in a way of
 * its server's own for nonsense, one that is none for an error, and an event that only says what the answer cost for the end of it.
 */
import { reportedIn } from '../failures.ts'
import type { Judge } from './event-lines.ts'

export const asCompletion: Judge = (data) => {
  // Nearly all: a word of an answer, which the package checks.
  if (data.includes('"choices"') && !data.includes('"error"')) return data
  const event = recordIn(data)
  if (event === null) return data
  if (reportedIn(event)) return JSON.stringify({ error: asTold(event) })
  if (event.choices === undefined) return event.usage === undefined ? data : null
  const { error: _none, ...answer } = event
  return JSON.stringify(answer)
}

/** Null for what is no JSON or no object, which the package says of it. */
export function recordIn(data: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(data)
    return isRecord(value) ? value : null
  } catch {
    return null
  }
}

/** What its package wants to be there, in the kinds that it wants. */
function asTold(event: Readonly<Record<string, unknown>>) {
  const error = isRecord(event.error) ? event.error : event
  return {
    message: [event.error, error.message, error.error].find((said) => typeof said === 'string') ?? 'the model reported an error',
    type: typeof error.type === 'string' ? error.type : null,
    code: [error.code, error.status, error.statusCode].find((code) => typeof code === 'string' || typeof code === 'number') ?? null,
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Events of OpenAI's protocol as many servers write them, made into those that its package reads. It takes an error that is told in a way of
 * its server's own for nonsense, one that is none for an error, and an event that only says what the answer cost for the end of it.
 */
import { isRecord } from '../../contract/is-record.ts'
import { reportedIn } from '../model-errors.ts'
import type { Judge } from './event-lines.ts'

/** For one stream. Behind what it cannot read nothing is looked at any more: the package ends there, and an error for every line would cost seconds. */
export function completionJudge(): Judge {
  let isOver = false
  return (data) => {
    // Nearly all: a word of an answer, which the package checks.
    if (isOver || data === '' || (data.includes('"choices"') && !data.includes('"error"'))) return data
    const event = recordIn(data)
    isOver = event === null
    return event === null ? data : asCompletion(event, data)
  }
}

function asCompletion(event: Readonly<Record<string, unknown>>, data: string): string | null {
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

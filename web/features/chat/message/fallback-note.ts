/** The sentence about a fallback model, in an answer and in its details. */
import type { AnswerMetadata } from '../../../../worker/contract/messages.ts'

const list = new Intl.ListFormat('en', { type: 'conjunction' })

/** Null if the chosen model answered. */
export function fallbackNote({ modelName, answeredBy }: AnswerMetadata): string | null {
  if (!answeredBy) return null
  const reason = answeredBy.includes(modelName) ? 'did not always respond' : 'did not respond'
  return `Answered by ${list.format(answeredBy)}, because ${modelName} ${reason}.`
}

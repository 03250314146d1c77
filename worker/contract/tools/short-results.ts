/** Earlier tool results for the model, so that a follow-up can refer to them: queries and sources, and the beginning of other results. Pure. */
import { maxShortResultsChars } from '../limits.ts'
import { isSearch, isToolPart } from '../models/tools.ts'
import { cutAt } from '../text.ts'
import type { MessagePart, ToolPart } from '../threads/messages.ts'
import { requestedOf, sourcesOf } from '../threads/sources.ts'

/** Empty without results. The text of a page is not stored, so the model can read it again at its address. */
export function shortResults(parts: readonly MessagePart[]): string {
  const calls = parts.filter(isToolPart).filter(({ state }) => state === 'output-available')
  const queries = calls.filter(isSearch).map((call) => `Searched for: ${requestedOf(call)}`)
  const sources = sourcesOf(parts).map(({ title, url }) => `- ${title} ${url}`)
  const others = calls.filter(({ source }) => source !== undefined).map(shortened)
  const denied = parts
    .filter(isToolPart)
    .filter(({ state }) => state === 'output-denied')
    .map(deniedText)
  return cutAt([...queries, ...sources, ...others, ...denied].join('\n'), maxShortResultsChars)
}

/** Chosen: enough for a list of names and ids. */
const maxInputChars = 300
const maxOutputChars = 1000

const shortened = ({ type, source, input, output }: ToolPart): string =>
  `${type.slice('tool-'.length)} of ${source?.name} with ${cutAt(JSON.stringify(input ?? null), maxInputChars)}: ${cutAt(JSON.stringify(output ?? null), maxOutputChars)}`

const deniedText = ({ type, source, input, approval }: ToolPart): string =>
  `${approval?.isInput ? 'Cancelled, because the user did not answer its server' : 'Not made, because the user did not allow it'}: ${type.slice('tool-'.length)} of ${source?.name ?? 'Web'} with ${cutAt(JSON.stringify(input ?? null), maxInputChars)}`

/** A one-line summary of adjacent searches and page reads. */
import { unfinishedText } from '../../../../worker/contract/message-stream.ts'
import type { ToolPart } from '../../../../worker/contract/messages.ts'
import { askedOf, isPageRead, isSearch } from '../../../../worker/contract/tools.ts'
import { safeHref } from '../../../ui/markdown/safe-url.ts'

export const isOpenCall = ({ state }: ToolPart): boolean => state === 'input-streaming' || state === 'input-available'

export const siteIn = (address: string): string => {
  const href = safeHref(address)
  return href ? new URL(href).host.replace(/^www\./, '') : ''
}

/** While running: the current activity. Afterwards: the results and failures. */
export function webSummary(calls: readonly ToolPart[], isRunning: boolean): string {
  const current = isRunning ? calls.findLast(isOpenCall) : undefined
  if (current) return isSearch(current) ? 'Searching the web…' : `Reading ${siteIn(askedOf(current)) || 'a page'}…`
  const searched = calls.filter((call) => isSearch(call) && call.state === 'output-available').length
  const read = calls.filter((call) => isPageRead(call) && call.state === 'output-available').length
  const failedSearches = calls.filter((call) => isSearch(call) && hasFailed(call)).length
  const failedReads = calls.filter((call) => isPageRead(call) && hasFailed(call)).length
  const unfinished = calls.findLast(isUnfinished)
  const parts = [
    searched > 0 && (searched === 1 ? 'Searched the web' : `Searched the web ${searched} times`),
    failedSearches > 0 && (failedSearches === 1 ? 'search failed' : `${failedSearches} searches failed`),
    read > 0 && `read ${pages(read)}`,
    failedReads > 0 && `could not read ${pages(failedReads)}`,
    unfinished && (isSearch(unfinished) ? 'search not finished' : 'reading not finished'),
  ].filter(Boolean)
  const line = parts.join(' · ')
  return line.charAt(0).toUpperCase() + line.slice(1)
}

/** Stopped or interrupted before it ended. */
export const isUnfinished = ({ state, errorText }: ToolPart): boolean => state === 'output-error' && errorText === unfinishedText
const hasFailed = (call: ToolPart): boolean => call.state === 'output-error' && !isUnfinished(call)

const pages = (count: number): string => (count === 1 ? '1 page' : `${count} pages`)

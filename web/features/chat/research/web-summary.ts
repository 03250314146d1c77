/** A one-line summary of adjacent searches and page reads. */

import { isPageRead, isSearch } from '../../../../worker/contract/models/tools.ts'
import type { ToolPart } from '../../../../worker/contract/threads/messages.ts'
import { requestedOf } from '../../../../worker/contract/threads/sources.ts'
import { safeHref } from '../../../ui/markdown/safe-url.ts'
import { t } from './texts/en.ts'

export const isOpenCall = ({ state }: ToolPart): boolean => state === 'input-streaming' || state === 'input-available'

export const siteIn = (address: string): string => {
  const href = safeHref(address)
  return href ? new URL(href).host.replace(/^www\./, '') : ''
}

/** While running: the current activity. Afterwards: the results and failures. */
export function webSummary(calls: readonly ToolPart[], isRunning: boolean): string {
  const current = isRunning ? calls.findLast(isOpenCall) : undefined
  if (current) {
    const site = siteIn(requestedOf(current))
    if (isSearch(current)) return t('searchingWeb')
    return site ? t('readingSiteNow', { site }) : t('readingPageNow')
  }
  const searched = calls.filter((call) => isSearch(call) && call.state === 'output-available').length
  const read = calls.filter((call) => isPageRead(call) && call.state === 'output-available').length
  const failedSearches = calls.filter((call) => isSearch(call) && hasFailed(call)).length
  const failedReads = calls.filter((call) => isPageRead(call) && hasFailed(call)).length
  const unfinished = calls.findLast(isUnfinished)
  const parts = [
    searched > 0 && t('searchedWeb', { count: searched }),
    failedSearches > 0 && t('searchesFailed', { count: failedSearches }),
    read > 0 && t('readPages', { count: read }),
    failedReads > 0 && t('unreadPages', { count: failedReads }),
    unfinished && t(isSearch(unfinished) ? 'searchUnfinished' : 'readUnfinished'),
  ].filter(Boolean)
  const line = parts.join(' · ')
  return line.charAt(0).toUpperCase() + line.slice(1)
}

/** Stopped or interrupted before it ended. */
export const isUnfinished = ({ errorCode }: ToolPart): boolean => errorCode === 'unfinished'
const hasFailed = (call: ToolPart): boolean => call.state === 'output-error' && !isUnfinished(call)

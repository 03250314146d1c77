import { maxServerHeaders, maxToolServers } from '../../../worker/contract/limits.ts'
import type { CallFailure } from '../../../worker/contract/tools/call-failures.ts'
import type { ToolServerFailure } from '../../../worker/contract/tools/tool-servers.ts'
import { t } from './texts/en.ts'

const sentences = {
  headers: 'failsHeaders',
  limit: 'failsLimit',
  address: 'failsAddress',
  unreachable: 'failsUnreachable',
  timeout: 'failsTimeout',
  refused: 'failsRefused',
  scopes: 'failsScopes',
  redirects: 'failsRedirects',
  too_large: 'failsTooLarge',
  unreadable: 'failsUnreadable',
  no_server: 'failsNoServer',
  error: 'failsError',
  busy: 'failsBusy',
  no_login: 'failsNoLogin',
  login_failed: 'failsLogin',
} as const satisfies { readonly [code in ToolServerFailure]: string }

/** `max` of a sentence. */
const limits = { headers: maxServerHeaders, limit: maxToolServers } as const

export const failureSentence = (code: ToolServerFailure): string =>
  code === 'headers' || code === 'limit' ? t(sentences[code], { max: limits[code] }) : t(sentences[code])

/** For the value of an address, which can be anything. */
export const isFailure = (code: string): code is ToolServerFailure => Object.hasOwn(sentences, code)

const callSentences = {
  unfinished: 'callUnfinished',
  maybe_done: 'callMaybeDone',
  unexpected: 'callUnexpected',
  input_invalid: 'callInput',
  credits_short: 'callCredits',
  answer_ended: 'callAnswerEnded',
  tool_unavailable: 'callUnavailable',
  tool_changed: 'callToolChanged',
  tool_gone: 'callToolGone',
  server_removed: 'callServerRemoved',
  calls_of_answer: 'callsOfAnswer',
  calls_of_hour: 'callsOfHour',
  calls_of_organization: 'callsOfOrganization',
  result_form: 'callResultForm',
  asks_too_often: 'callAsksOften',
  asks_unshown: 'callAsksUnshown',
  asks_address: 'callAsksAddress',
  searches_of_answer: 'searchesOfAnswer',
  searches_of_day: 'searchesOfDay',
  pages_of_answer: 'pagesOfAnswer',
  page_not_named: 'pageNotNamed',
  page_missing: 'pageMissing',
  page_slow: 'pageSlow',
  page_forbidden: 'pageForbidden',
  page_empty: 'pageEmpty',
  page_unread: 'pageUnread',
  search_key: 'searchKey',
  search_funds: 'searchFunds',
  search_busy: 'searchBusy',
  search_error: 'searchError',
  search_slow: 'searchSlow',
  search_unreachable: 'searchUnreachable',
  search_unreadable: 'searchUnreadable',
} as const satisfies { readonly [code in Exclude<CallFailure, ToolServerFailure>]: string }

/** Why a call failed, in a thread. */
export const callFailureSentence = (code: CallFailure): string => (isFailure(code) ? failureSentence(code) : t(callSentences[code]))

const mendedInSettings: ReadonlySet<CallFailure> = new Set<CallFailure>([
  ...(['address', 'refused', 'scopes', 'redirects', 'no_server', 'no_login', 'login_failed'] as const),
  ...(['tool_changed', 'tool_gone', 'tool_unavailable'] as const),
])

/** The sentence leads to the page of tools. */
export const isMendedInSettings = (code: CallFailure): boolean => mendedInSettings.has(code)

export const toolSettings = (): string => t('toolSettings')

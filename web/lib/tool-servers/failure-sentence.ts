import { maxServerHeaders, maxToolServers } from '../../../worker/contract/limits.ts'
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

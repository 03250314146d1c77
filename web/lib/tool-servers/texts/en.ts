import { catalogue } from '../../i18n/text-catalogue.ts'

/** Why a tool server could not be used. English, in ICU syntax. */
export const en = {
  failsHeaders: 'Enter up to {max, number} headers, each with a name and a value.',
  failsLimit: "You've reached {max, number} servers. Remove one first.",
  failsAddress: 'Enter the https address of a public server.',
  failsUnreachable: 'The server could not be reached. Check the address.',
  failsTimeout: 'The server took too long to answer. Try again later.',
  failsRefused: 'The server asks for a login or a header with a key.',
  failsScopes: 'The server requires more rights than you have granted. Log in again to see and grant them.',
  failsRedirects: 'The server redirects to another address. Enter that address instead.',
  failsTooLarge: 'The server sent too much data.',
  failsUnreadable: 'The server sent something that could not be read.',
  failsNoServer: 'No MCP server answers at this address.',
  failsError: 'The server reported an error. Try again later.',
  failsBusy: 'The server is busy. Try again in a minute.',
  failsNoLogin: 'This server offers no login that works here. If it has API keys, enter one as a header.',
  failsLogin: 'The login was declined or failed.',
} as const

export const t = catalogue('toolServers', en)

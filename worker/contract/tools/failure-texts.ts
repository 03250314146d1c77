/** What the model is told about a tool server that could not be used. Such a text is stored in the answer. */
import { lackedScopes } from './taint.ts'
import type { ToolServerFailure } from './tool-servers.ts'

export const failureTexts: { readonly [code in ToolServerFailure]: string } = {
  headers: 'The headers are invalid.',
  limit: 'No more servers can be added.',
  address: 'The address of the server is not a public https address.',
  unreachable: 'The server could not be reached.',
  timeout: 'The server took too long to answer.',
  scopes: 'The user can give them in Settings, Tools.',
  refused: 'The server requires a login, or refused the one it has.',
  redirects: 'The server redirects to another address, which is not followed.',
  too_large: 'The server sent more than Parley reads.',
  unreadable: 'The server sent something unreadable.',
  no_server: 'No tool server answers at this address.',
  error: 'The server reported an error.',
  busy: 'The server is too busy right now.',
  no_login: 'The server offers no login that Parley can use.',
  login_failed: 'The login at the server failed.',
}

/** The failure that a stored text is about, so that the page can show it in its own language. */
export const failureIn = (text: string): ToolServerFailure | undefined =>
  text.startsWith(lackedScopes) ? 'scopes' : (Object.keys(failureTexts) as ToolServerFailure[]).find((code) => failureTexts[code] === text)

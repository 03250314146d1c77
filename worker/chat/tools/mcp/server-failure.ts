/** Why a tool server could not be used. `code` is stored and shown; `message` is the sentence for the model and the log. */
import { lackedScopes } from '../../../contract/tools/taint.ts'
import { type ToolServerFailure, wantsLogin } from '../../../contract/tools/tool-servers.ts'
import { quotedName } from '../untrusted.ts'

export class ServerFailure extends Error {
  override readonly name = 'ServerFailure'
  readonly code: ToolServerFailure
  /** The scopes that the server requires and the login lacks. */
  readonly scopes: readonly string[]

  constructor(code: ToolServerFailure, { scopes = [], ...options }: ErrorOptions & { readonly scopes?: readonly string[] } = {}) {
    super(code === 'scopes' ? `${lackedScopes}${scopes.map(quotedName).join(', ')}. ${sentences.scopes}` : sentences[code], options)
    this.code = code
    this.scopes = scopes
  }

  get wantsLogin(): boolean {
    return wantsLogin(this.code)
  }
}

const sentences: { readonly [code in ToolServerFailure]: string } = {
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

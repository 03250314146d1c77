/** Why a tool server could not be used. `code` is stored and shown; `message` is the sentence for the model and the log. */
import { failureTexts } from '../../../contract/tools/failure-texts.ts'
import { lackedScopes } from '../../../contract/tools/taint.ts'
import { type ToolServerFailure, wantsLogin } from '../../../contract/tools/tool-servers.ts'
import { quotedName } from '../untrusted.ts'

export class ServerFailure extends Error {
  override readonly name = 'ServerFailure'
  readonly code: ToolServerFailure
  /** The scopes that the server requires and the login lacks. */
  readonly scopes: readonly string[]

  constructor(code: ToolServerFailure, { scopes = [], ...options }: ErrorOptions & { readonly scopes?: readonly string[] } = {}) {
    super(code === 'scopes' ? `${lackedScopes}${scopes.map(quotedName).join(', ')}. ${failureTexts.scopes}` : failureTexts[code], options)
    this.code = code
    this.scopes = scopes
  }

  get wantsLogin(): boolean {
    return wantsLogin(this.code)
  }
}

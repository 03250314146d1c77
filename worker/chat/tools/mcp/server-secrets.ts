/** The credentials of a tool server: headers that its owner entered, and what a login needs. Stored sealed, and opened only to use the server. */
import type { OAuthDiscoveryState, StoredOAuthClientInformation, StoredOAuthTokens } from '@modelcontextprotocol/client'
import type { DatabaseBindings } from '../../../db/shards.ts'
import { readSealed, type ServerOwner, type ToolServerChanges, writeSealed } from '../../../db/tool-servers.ts'
import { seal, unseal } from '../../../lib/sealed.ts'

export type ServerSecret = {
  readonly headers: { readonly [name: string]: string }
  readonly oauth?: OAuthSecret
}

/** A registration of Parley at an authorization server, and what the user has granted there. */
export type Login = {
  client?: StoredOAuthClientInformation
  discovery?: OAuthDiscoveryState
  tokens?: StoredOAuthTokens
  /** The scopes that the login asked for, separated by spaces. */
  asked?: string
}

export type OAuthSecret = Login & {
  readonly pending?: PendingLogin
  /** Scopes that the server requires and the login lacks. The next login asks for them. */
  readonly required?: readonly string[]
  /**
   * Earlier logins. Their tokens are revoked at the logout only: an authorization server may end all logins of the user with one token (RFC 7009,
   * section 2.1).
   */
  readonly replaced?: readonly Login[]
}

/** A login that the user has begun. Only the session that began it can complete it, once. */
export type PendingLogin = {
  readonly state: string
  readonly sessionId: string
  readonly redirectUrl: string
  readonly startedAt: number
  readonly verifier: string
  /** Without tokens. */
  readonly login: Login
  /** The code is being exchanged. */
  readonly isUsed?: boolean
}

export type ServerRef = { readonly env: DatabaseBindings; readonly authSecret: string; readonly owner: ServerOwner; readonly id: string }

export type ReadSecret = { readonly secret: ServerSecret; readonly version: number }

const purpose = 'tool server'

export const sealSecret = (authSecret: string, id: string, secret: ServerSecret): Promise<string> =>
  seal(authSecret, purpose, id, JSON.stringify(secret))

/** After a change of the Worker's secret, the credentials are empty. */
export async function openSecret(authSecret: string, id: string, sealed: string): Promise<ServerSecret> {
  const text = await unseal(authSecret, purpose, id, sealed)
  return text === null ? { headers: {} } : (JSON.parse(text) as ServerSecret)
}

/** Null if the server does not exist. */
export async function readSecret({ env, authSecret, owner, id }: ServerRef): Promise<ReadSecret | null> {
  const row = await readSealed(env, owner, id)
  return row && { secret: await openSecret(authSecret, id, row.sealed), version: row.version }
}

type WriteOptions = { readonly endsRenewal?: boolean; readonly changes?: ToolServerChanges }

/**
 * Writes what `change` makes of the newest secret, with `changes` of the server's row. If another request writes at the same time, the change is made
 * again. Null if `change` returns null, or if the server does not exist.
 */
export async function changeSecret(
  ref: ServerRef,
  change: (secret: ServerSecret) => ServerSecret | null,
  { endsRenewal = false, changes }: WriteOptions = {},
): Promise<{ readonly before: ServerSecret; readonly after: ReadSecret } | null> {
  const { env, authSecret, owner, id } = ref
  for (let read = await readSecret(ref); read; read = await readSecret(ref)) {
    const { secret: before, version } = read
    const secret = change(before)
    if (secret === null) return null
    const sealed = await sealSecret(authSecret, id, secret)
    const write = { sealed, version, endsRenewal, ...(changes && { changes }) }
    if (await writeSealed(env, owner, id, write)) return { before, after: { secret, version: version + 1 } }
  }
  return null
}

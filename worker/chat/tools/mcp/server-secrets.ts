/** The credentials of a tool server: headers that the user entered, and what a login needs. Stored sealed, and opened only to use the server. */
import type { OAuthDiscoveryState, StoredOAuthClientInformation, StoredOAuthTokens } from '@modelcontextprotocol/client'
import type { DatabaseBindings } from '../../../db/shards.ts'
import { readSealed, writeSealed } from '../../../db/tool-servers.ts'
import { seal, unseal } from '../../../lib/sealed.ts'

export type ServerSecret = {
  readonly headers: { readonly [name: string]: string }
  readonly oauth?: OAuthSecret
}

export type OAuthSecret = {
  /** How Parley is registered at the authorization server. */
  client?: StoredOAuthClientInformation
  discovery?: OAuthDiscoveryState
  tokens?: StoredOAuthTokens
  pending?: PendingLogin
}

/** A login that the user has begun. Only the session that began it can complete it, once. */
export type PendingLogin = {
  readonly state: string
  readonly sessionId: string
  readonly redirectUrl: string
  readonly startedAt: number
  readonly verifier: string
}

export type ServerRef = { readonly env: DatabaseBindings; readonly authSecret: string; readonly userId: string; readonly id: string }

export type ReadSecret = { readonly secret: ServerSecret; readonly version: number }

const purpose = 'tool server'

export const sealSecret = (authSecret: string, id: string, secret: ServerSecret): Promise<string> =>
  seal(authSecret, purpose, id, JSON.stringify(secret))

/** Null if the server does not exist. After a change of the Worker's secret, the credentials are empty. */
export async function readSecret({ env, authSecret, userId, id }: ServerRef): Promise<ReadSecret | null> {
  const row = await readSealed(env, userId, id)
  if (!row) return null
  const text = await unseal(authSecret, purpose, id, row.sealed)
  return { secret: text === null ? { headers: {} } : (JSON.parse(text) as ServerSecret), version: row.version }
}

/** False if another request has written since. */
export const writeSecret = async ({ env, authSecret, userId, id }: ServerRef, { secret, version }: ReadSecret): Promise<boolean> =>
  writeSealed(env, userId, id, { sealed: await sealSecret(authSecret, id, secret), version })

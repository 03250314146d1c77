/** The credentials of a tool server: headers that its owner entered, and what a login needs. Stored sealed, and opened only to use the server. */
import type { OAuthDiscoveryState, StoredOAuthClientInformation, StoredOAuthTokens } from '@modelcontextprotocol/client'
import type { DatabaseBindings } from '../../../db/shards.ts'
import { readSealed, type ServerOwner, writeSealed } from '../../../db/tool-servers.ts'
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

/** False if another request has written since. */
export const writeSecret = async ({ env, authSecret, owner, id }: ServerRef, { secret, version }: ReadSecret): Promise<boolean> =>
  writeSealed(env, owner, id, { sealed: await sealSecret(authSecret, id, secret), version })

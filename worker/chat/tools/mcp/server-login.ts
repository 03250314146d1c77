/**
 * Logins at tool servers by OAuth 2.1, with the SDK's functions: discovery, registration of Parley as a client, PKCE, the exchange of the code,
 * and new tokens for old ones. Revocation (RFC 7009) is a request of ours. Every request passes the guarded fetch.
 */
import {
  auth,
  computeScopeUnion,
  extractWWWAuthenticateParams,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  OAuthError,
  OAuthErrorCode,
  refreshAuthorization,
  type StoredOAuthTokens,
} from '@modelcontextprotocol/client'
import { maxLoginUrlChars, maxReplacedLogins, maxServerScopes, toolServerLoginMs } from '../../../contract/limits.ts'
import { newId } from '../../../db/new-id.ts'
import { claimRenewal, withoutUser } from '../../../db/tool-servers.ts'
import { logger } from '../../../lib/logger.ts'
import { type Credentials, type ServerConnection, withServer } from './connection.ts'
import { type GuardedFetch, guardedFetch, isPublicAddress, type ServerEgress } from './egress.ts'
import { withIssuerSlash } from './issuer-slash.ts'
import { scopesIn } from './scopes.ts'
import { ServerFailure } from './server-failure.ts'
import {
  changeSecret,
  type Login,
  type OAuthSecret,
  type PendingLogin,
  type ReadSecret,
  readSecret,
  type ServerRef,
  type ServerSecret,
} from './server-secrets.ts'

/** For the SDK. Works on a copy of the stored login, which the caller stores afterwards. */
function loginProvider(login: Login, { state, redirectUrl, ...begun }: Omit<PendingLogin, 'login'>) {
  /** `authorizationUrl`: where the user logs in. */
  const result: { verifier: string; authorizationUrl: URL | null } = { verifier: begun.verifier, authorizationUrl: null }
  const provider: OAuthClientProvider = {
    redirectUrl,
    // Authorization servers that read it need no registration. They read https addresses only.
    clientMetadataUrl: redirectUrl.startsWith('https:') ? clientIdOf(redirectUrl) : '',
    clientMetadata: clientMetadata(redirectUrl),
    state: () => state,
    clientInformation: () => login.client,
    saveClientInformation: (client) => {
      login.client = client
    },
    tokens: () => login.tokens,
    saveTokens: (tokens) => {
      login.tokens = tokens
    },
    redirectToAuthorization: (url) => {
      result.authorizationUrl = url
      const scope = url.searchParams.get('scope')
      if (scope !== null) login.asked = scope
    },
    saveCodeVerifier: (verifier) => {
      result.verifier = verifier
    },
    codeVerifier: () => result.verifier,
    discoveryState: () => login.discovery,
    saveDiscoveryState: (discovery) => {
      login.discovery = discovery
    },
  }
  return { provider, login, result }
}

/** Parley as a client of logins. */
const clientMetadata = (redirectUrl: string): OAuthClientMetadata => ({
  client_name: 'Parley',
  redirect_uris: [redirectUrl],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
})

/** The address of the document below, which is the id of the client. */
const clientIdOf = (redirectUrl: string): string => new URL('client-metadata.json', redirectUrl).href

/** What an authorization server reads at the id of the client (draft-ietf-oauth-client-id-metadata-document). */
export const clientDocument = (redirectUrl: string) => ({ client_id: clientIdOf(redirectUrl), ...clientMetadata(redirectUrl) })

type Begin = { readonly url: string; readonly sessionId: string; readonly redirectUrl: string; readonly nowMs: number }

/** The login to store, and the address where the user continues. The state in it begins with `id`. Asks for all scopes of the known login again. */
export async function beginLogin(
  id: string,
  known: OAuthSecret | undefined,
  { url, sessionId, redirectUrl, nowMs }: Begin,
  egress: GuardedFetch,
): Promise<{ readonly pending: PendingLogin; readonly address: string }> {
  const begun = { state: `${id}.${newId()}`, sessionId, redirectUrl, startedAt: nowMs, verifier: '' }
  // Tokens are left out, so that the user logs in again. A registration for another address of Parley is useless.
  const { client } = known ?? {}
  const isRegistered =
    client && 'redirect_uris' in client && Array.isArray(client.redirect_uris) && client.redirect_uris.includes(redirectUrl)
  const { provider, login, result } = loginProvider(isRegistered ? { client } : {}, begun)
  try {
    const { resourceMetadataUrl, scopes } = await challengeOf(url, egress)
    const scope = computeScopeUnion(known?.asked, known?.tokens?.scope, scopes.join(' '), known?.required?.join(' '))
    await auth(provider, {
      serverUrl: url,
      fetchFn: withIssuerSlash(egress.fetch),
      ...(resourceMetadataUrl && { resourceMetadataUrl }),
      ...(scope && { scope }),
    })
  } catch (error) {
    throw failureOf(error, egress, 'no_login')
  }
  const { authorizationUrl, verifier } = result
  // The browser opens it, so it must be an address of the web.
  if (authorizationUrl === null || !isPublicAddress(authorizationUrl, egress.isLocalAllowed)) throw new ServerFailure('no_login')
  if (authorizationUrl.href.length > maxLoginUrlChars) throw new ServerFailure('no_login')
  return { pending: { ...begun, verifier, login }, address: authorizationUrl.href }
}

/** The metadata address and the scopes with which the server refuses a request without a login. */
async function challengeOf(url: string, { fetch }: GuardedFetch) {
  // Some servers answer a GET without their challenge.
  const response = await fetch(url, {
    method: 'POST',
    headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  })
  await response.body?.cancel()
  if (response.status !== 401) return { scopes: [] }
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response)
  return { resourceMetadataUrl, scopes: scopesIn(scope) }
}

/** True for the answer to the login that this session has begun. */
export const isAnswerTo = (
  pending: PendingLogin | undefined,
  params: URLSearchParams,
  { sessionId, nowMs }: { readonly sessionId: string; readonly nowMs: number },
): pending is PendingLogin =>
  pending !== undefined &&
  !pending.isUsed &&
  pending.state === params.get('state') &&
  pending.sessionId === sessionId &&
  nowMs - pending.startedAt < toolServerLoginMs

/** The login with its tokens. */
export async function completeLogin(
  { login: known, ...pending }: PendingLogin,
  url: string,
  params: URLSearchParams,
  egress: GuardedFetch,
): Promise<Login> {
  const code = params.get('code')
  if (code === null) throw new ServerFailure('login_failed')
  const { provider, login } = loginProvider({ ...known }, pending)
  try {
    const iss = params.get('iss')
    await auth(provider, { serverUrl: url, authorizationCode: code, ...(iss !== null && { iss }), fetchFn: withIssuerSlash(egress.fetch) })
  } catch (error) {
    throw failureOf(error, egress, 'login_failed')
  }
  if (!login.tokens) throw new ServerFailure('login_failed')
  return login
}

/** The secret that is stored after a login. */
export function completedLogin({ replaced = [], required, pending: _completed, ...old }: OAuthSecret, login: Login): OAuthSecret {
  const earlier = (old.tokens ? [old, ...replaced] : replaced).slice(0, maxReplacedLogins)
  const lacking = required?.filter((scope) => !scopesIn(login.asked).includes(scope)) ?? []
  return { ...login, ...(earlier.length > 0 && { replaced: earlier }), ...(lacking.length > 0 && { required: lacking }) }
}

/** The failures of the egress have their own sentences. An error of the SDK can quote the server, so it is logged by name only. */
function failureOf(error: unknown, { failure }: GuardedFetch, code: ServerFailure['code']): ServerFailure {
  if (error instanceof ServerFailure) return error
  logger.warn('tool_server_login_failed', { reason: error instanceof OAuthError ? error.code : error instanceof Error ? error.name : '' })
  return failure() ?? new ServerFailure(code, { cause: error })
}

/** Chosen: the time limit of a request, so an interrupted request blocks others no longer than that. */
const renewalMs = 20_000
const waitMs = 250

type Use<T> = (server: ServerConnection) => Promise<T>

/** One use of a stored server with its credentials. What is renewed is stored also if the user's membership has just ended. */
export function withStoredServer<T>(
  ref: ServerRef,
  { url, secret }: StoredServer,
  egress: ServerEgress,
  signal: AbortSignal,
  use: Use<T>,
  maxBytes?: number,
): Promise<T> {
  const credentials = credentialsOf({ ...ref, owner: withoutUser(ref.owner) }, secret, guardedFetch(egress, signal))
  return withServer({ url, credentials }, egress, signal, use, maxBytes)
}

export type StoredServer = { readonly url: string; readonly secret: ReadSecret }

/** The headers and the token of a server. A refused token is renewed once for all requests that use it. */
function credentialsOf(ref: ServerRef, read: ReadSecret, egress: GuardedFetch): Credentials {
  let current = read
  const { headers, oauth } = read.secret
  if (!oauth?.tokens) return { headers }
  return {
    headers,
    token: async () => current.secret.oauth?.tokens?.access_token,
    renew: async () => {
      current = await renewed(ref, current, egress)
    },
  }
}

async function renewed(ref: ServerRef, used: ReadSecret, egress: GuardedFetch): Promise<ReadSecret> {
  const endsMs = Date.now() + renewalMs
  for (let read: ReadSecret | null = used; read; read = await readSecret(ref)) {
    const { tokens } = read.secret.oauth ?? {}
    if (!tokens) break
    if (tokens.access_token !== used.secret.oauth?.tokens?.access_token) return read
    const nowMs = Date.now()
    if (nowMs >= endsMs) break
    if (await claimRenewal(ref.env, ref.owner, ref.id, { version: read.version, nowMs, forMs: renewalMs })) return renew(ref, read, egress)
    await new Promise((resolve) => setTimeout(resolve, waitMs))
  }
  throw new ServerFailure('refused')
}

async function renew(ref: ServerRef, read: ReadSecret, egress: GuardedFetch): Promise<ReadSecret> {
  const { tokens, client, discovery } = read.secret.oauth ?? {}
  /** Null if another request has replaced or removed the tokens: a new login of the user, or a logout, counts. */
  const store = async (renewedTokens: StoredOAuthTokens | undefined): Promise<ReadSecret | null> => {
    const changed = await changeSecret(
      ref,
      ({ oauth, ...others }) => {
        if (!oauth?.tokens || oauth.tokens.access_token !== tokens?.access_token) return null
        const { tokens: _used, ...login } = oauth
        return { ...others, oauth: { ...login, ...(renewedTokens && { tokens: renewedTokens }) } }
      },
      { endsRenewal: true },
    )
    return changed?.after ?? null
  }
  if (!tokens?.refresh_token || !client || !discovery) {
    await store(undefined)
    throw new ServerFailure('refused')
  }
  let obtained: StoredOAuthTokens
  try {
    const answer = await refreshAuthorization(discovery.authorizationServerUrl, {
      ...(discovery.authorizationServerMetadata && { metadata: discovery.authorizationServerMetadata }),
      clientInformation: client,
      refreshToken: tokens.refresh_token,
      ...(discovery.resourceMetadata && { resource: discovery.resourceMetadata.resource }),
      fetchFn: egress.fetch,
    })
    obtained = { ...tokens, ...answer }
  } catch (error) {
    // The user has to log in again if the server refuses the token. After any other failure the token may still be good.
    await store(error instanceof OAuthError && error.code !== OAuthErrorCode.ServerError ? undefined : tokens)
    throw failureOf(error, egress, 'refused')
  }
  const stored = await store(obtained)
  if (stored) return stored
  await revokeTokens({ tokens: obtained, client, discovery }, egress)
  const current = await readSecret(ref)
  if (!current?.secret.oauth?.tokens) throw new ServerFailure('refused')
  return current
}

/** Revokes the tokens of a server's login and of those that it replaced. Returns the logins for which that has to be tried again. */
export async function revokeLogins({ oauth }: ServerSecret, egress: GuardedFetch): Promise<readonly Login[]> {
  const left: Login[] = []
  for (const { tokens, client, discovery } of oauth ? [oauth, ...(oauth.replaced ?? [])] : []) {
    const login = { ...(tokens && { tokens }), ...(client && { client }), ...(discovery && { discovery }) }
    if (!(await revokeTokens(login, egress))) left.push(login)
  }
  return left
}

/**
 * The failure that the user and the model read. The scopes that a server requires are stored for the next login. If the last login asked for them,
 * another one would not help: the failure is a refusal.
 */
export async function settledFailure(ref: ServerRef, failure: ServerFailure): Promise<ServerFailure> {
  const { scopes } = failure
  if (failure.code !== 'scopes') return failure
  const changed = await changeSecret(ref, ({ oauth = {}, ...others }) => {
    const asked = scopesIn(oauth.asked)
    const required = [...new Set([...(oauth.required ?? []), ...scopes])]
    const isNew = scopes.some((scope) => !asked.includes(scope)) && new Set([...asked, ...required]).size <= maxServerScopes
    return isNew ? { ...others, oauth: { ...oauth, required } } : null
  })
  return changed ? failure : new ServerFailure('refused', { cause: failure })
}

/**
 * Tells the authorization server that the tokens are no longer used. False if it has not received that, or is not able to revoke them now. A refusal
 * is final: another attempt would get the same answer.
 */
export async function revokeTokens({ tokens, client, discovery }: Login, egress: GuardedFetch): Promise<boolean> {
  const endpoint = revocationEndpoint(discovery)
  if (!endpoint || !client || !tokens) return true
  let isDone = true
  const found = [
    ['refresh_token', tokens.refresh_token],
    ['access_token', tokens.access_token],
  ] as const
  for (const [hint, token] of found) {
    if (token === undefined) continue
    const body = new URLSearchParams({ token, token_type_hint: hint, client_id: client.client_id })
    if (client.client_secret !== undefined) body.set('client_secret', client.client_secret)
    try {
      const response = await egress.fetch(endpoint, { method: 'POST', body })
      await response.body?.cancel()
      if (response.status >= 500 || isLater.has(response.status)) isDone = false
    } catch (error) {
      isDone = false
      logger.warn('tool_server_token_kept', { reason: error instanceof ServerFailure ? error.code : 'unknown' })
    }
  }
  return isDone
}

/** Request timeout, too early, too many requests. */
const isLater = new Set([408, 425, 429])

function revocationEndpoint(discovery: OAuthDiscoveryState | undefined): string | null {
  const metadata = discovery?.authorizationServerMetadata
  return metadata && 'revocation_endpoint' in metadata && typeof metadata.revocation_endpoint === 'string'
    ? metadata.revocation_endpoint
    : null
}

/**
 * An authorization server (OAuth 2.1) on loopback for a tool server: discovery, registration, PKCE, rotating refresh tokens and revocation. As
 * real ones do, it ends a login when a refresh token is used twice.
 */
import { createHash, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { close, listen } from './peer-server.ts'
import type { Fault } from './tool-server.ts'

export type OAuthPeer = {
  readonly origin: string
  /** In front of a tool server: its metadata, and 401 without a valid token. `resource`: the address of the tool server. */
  readonly guard: (resource: () => string, lacks?: LacksScope) => Fault
  /** The user agrees: the parameters of the callback for this authorization address. */
  readonly approve: (address: string) => URLSearchParams
  /** Valid access tokens become invalid, as after their time. */
  readonly expireTokens: () => void
  /** Ends every login. */
  readonly endLogins: () => void
  readonly revoked: readonly string[]
  /** Tokens that were issued and are valid. */
  readonly live: () => readonly string[]
  readonly asked: readonly string[]
  stop(): Promise<void>
}

/** The scope in the challenge of a 403, or null to let the request pass. `granted`: the scopes of the token. */
type LacksScope = (method: string, granted: readonly string[]) => string | null

type Login = { readonly challenge: string; readonly clientId: string; readonly redirectUri: string; readonly scope: string }

export type OAuthScript = {
  /** Answers a request itself, or returns false. */
  readonly fault?: (path: string, response: ServerResponse) => boolean
  /** Changes a response with tokens. */
  readonly tokens?: (tokens: Record<string, unknown>) => Record<string, unknown>
  /** Changes the metadata document. */
  readonly metadata?: (metadata: Record<string, unknown>) => Record<string, unknown>
}

export async function startOAuthServer({
  fault = () => false,
  tokens: changed = (given) => given,
  metadata = (given) => given,
}: OAuthScript = {}): Promise<OAuthPeer> {
  const clients = new Map<string, readonly string[]>()
  const codes = new Map<string, Login>()
  const access = new Map<string, string>()
  const refresh = new Map<string, { readonly clientId: string; readonly scope: string }>()
  const used = new Set<string>()
  const revoked: string[] = []
  const asked: string[] = []

  const issue = ({ clientId, scope }: { readonly clientId: string; readonly scope: string }) => {
    const [accessToken, refreshToken] = [`access-${randomUUID()}`, `refresh-${randomUUID()}`]
    access.set(accessToken, scope)
    refresh.set(refreshToken, { clientId, scope })
    return { access_token: accessToken, token_type: 'Bearer', expires_in: 3600, refresh_token: refreshToken, scope }
  }
  const endLogins = () => {
    access.clear()
    refresh.clear()
  }
  const exchange = (form: URLSearchParams): object | null => {
    if (form.get('grant_type') === 'refresh_token') {
      const token = form.get('refresh_token') ?? ''
      if (used.has(token)) endLogins()
      const grant = refresh.get(token)
      if (grant === undefined || grant.clientId !== form.get('client_id')) return null
      refresh.delete(token)
      used.add(token)
      return issue(grant)
    }
    const code = form.get('code') ?? ''
    const login = codes.get(code)
    codes.delete(code)
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    if (!login || login.challenge !== challenge || login.clientId !== form.get('client_id')) return null
    return login.redirectUri === form.get('redirect_uri') ? issue(login) : null
  }

  const approve: OAuthPeer['approve'] = (address) => {
    const { searchParams } = new URL(address)
    const [clientId = '', redirectUri = ''] = [searchParams.get('client_id') ?? '', searchParams.get('redirect_uri') ?? '']
    // The id of a client that published its metadata is their address.
    const isPublished = clientId === new URL('client-metadata.json', redirectUri).href
    if (!isPublished && !clients.get(clientId)?.includes(redirectUri)) throw new Error('the client is registered with this address')
    if (searchParams.get('code_challenge_method') !== 'S256') throw new Error('PKCE with S256')
    const code = randomUUID()
    const challenge = searchParams.get('code_challenge') ?? ''
    codes.set(code, { challenge, clientId, redirectUri, scope: searchParams.get('scope') ?? 'tools' })
    return new URLSearchParams({ code, state: searchParams.get('state') ?? '', iss: origin })
  }

  const server = createServer((request, response) => {
    void (async () => {
      const path = new URL(request.url ?? '/', 'http://peer').pathname
      const body = await textOf(request)
      asked.push(path === '/token' ? `/token ${new URLSearchParams(body).get('grant_type')}` : path)
      if (fault(path, response)) return
      if (path === '/.well-known/oauth-authorization-server') return send(response, 200, metadata(documentOf(origin)))
      // The page of a user who agrees at once.
      if (path === '/authorize') {
        const address = new URL(request.url ?? '/', origin)
        const answer = approve(address.href)
        return void response.writeHead(302, { location: `${address.searchParams.get('redirect_uri')}?${answer}` }).end()
      }
      if (path === '/register') {
        const registered = JSON.parse(body) as { readonly redirect_uris: readonly string[] }
        const clientId = `client-${randomUUID()}`
        clients.set(clientId, registered.redirect_uris)
        return send(response, 201, { ...registered, client_id: clientId })
      }
      if (path === '/token') {
        const tokens = exchange(new URLSearchParams(body))
        return tokens
          ? send(response, 200, changed({ ...tokens }))
          : send(response, 400, { error: 'invalid_grant', error_description: 'not valid' })
      }
      if (path === '/revoke') {
        const token = new URLSearchParams(body).get('token') ?? ''
        revoked.push(token)
        access.delete(token)
        refresh.delete(token)
        return send(response, 200, {})
      }
      return send(response, 404, {})
    })().catch(() => response.destroy())
  })
  const origin = `http://127.0.0.1:${await listen(server)}`

  return {
    origin,
    guard: (resource, lacks) => (hit, response) => {
      if (hit.path.startsWith('/.well-known/oauth-protected-resource')) {
        send(response, 200, { resource: resource(), authorization_servers: [origin], scopes_supported: ['tools'] })
        return true
      }
      const scope = access.get(hit.headers.authorization?.replace('Bearer ', '') ?? '')
      if (scope !== undefined) {
        const lacked = lacks?.(hit.rpc?.method ?? '', scope.split(' ')) ?? null
        if (lacked === null) return false
        response.writeHead(403, { 'www-authenticate': `Bearer error="insufficient_scope", scope="${lacked}"` }).end()
        return true
      }
      const challenge = `Bearer resource_metadata="${new URL('/.well-known/oauth-protected-resource', resource()).href}"`
      response.writeHead(401, { 'www-authenticate': challenge }).end()
      return true
    },
    approve,
    expireTokens: () => access.clear(),
    endLogins,
    revoked,
    live: () => [...access.keys(), ...refresh.keys()],
    asked,
    stop: () => close(server),
  }
}

const documentOf = (origin: string) => ({
  issuer: origin,
  authorization_endpoint: `${origin}/authorize`,
  token_endpoint: `${origin}/token`,
  registration_endpoint: `${origin}/register`,
  revocation_endpoint: `${origin}/revoke`,
  response_types_supported: ['code'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: ['none'],
  authorization_response_iss_parameter_supported: true,
})

const send = (response: ServerResponse, status: number, body: object): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

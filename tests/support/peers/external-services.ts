/**
 * Google and GitHub for OAuth, and a Redis with Upstash's protocol, in place of their servers: the real better-auth calls their real
 * addresses, and requests leaving the Worker arrive here. A code identifies its user and is bound to client, address and PKCE challenge, as
 * at the real providers.
 */
import { createHash } from 'node:crypto'
import { memoryRedis } from './memory-redis.ts'
import { answerCommand } from './upstash.ts'

export const providerClients = {
  GOOGLE_CLIENT_ID: 'google-client',
  GOOGLE_CLIENT_SECRET: 'google-secret',
  GITHUB_CLIENT_ID: 'github-client',
  GITHUB_CLIENT_SECRET: 'github-secret',
}

/** The endpoint that does not respond. */
export type SilentEndpoint = 'token' | 'user'

export type ProviderUser = {
  readonly sub: string
  readonly email: string
  readonly name: string
  readonly verified: boolean
  readonly picture?: string
  readonly silent?: SilentEndpoint
}

/** The query of the redirect back, after the user has agreed. */
type Grant = {
  readonly user: ProviderUser
  readonly client: string
  readonly redirectUri: string
  readonly challenge: string | null
}

const redis = memoryRedis()

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const decode = <T>(text: string): T => JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as T

export async function answerAsProvider(request: Request): Promise<Response> {
  const { hostname, pathname } = new URL(request.url)
  if (hostname === 'redis.test')
    return Response.json(await answerCommand(redis, await request.text(), request.headers.get('upstash-encoding') === 'base64'))
  const place = hostname + pathname
  if (place === 'oauth2.googleapis.com/token' || place === 'github.com/login/oauth/access_token') return token(request, hostname)
  const user = userOf(request.headers.get('authorization'))
  if (hostname === 'api.github.com' && !user) return Response.json({ message: 'Bad credentials' }, { status: 401 })
  if (place === 'api.github.com/user' && user)
    return respond(user, 'user', {
      id: user.sub,
      login: user.name.toLowerCase(),
      name: user.name,
      email: null,
      avatar_url: user.picture ?? 'https://avatars.test/1',
    })
  if (place === 'api.github.com/user/emails' && user)
    return Response.json([{ email: user.email, primary: true, verified: user.verified, visibility: null }])
  return new Response(`no peer answers for ${place}`, { status: 502 })
}

function respond({ silent }: ProviderUser, at: SilentEndpoint, answer: object): Response | Promise<never> {
  return silent === at ? new Promise<never>(() => undefined) : Response.json(answer)
}

async function token(request: Request, hostname: string): Promise<Response> {
  const form = new URLSearchParams(await request.text())
  const secret = hostname === 'github.com' ? providerClients.GITHUB_CLIENT_SECRET : providerClients.GOOGLE_CLIENT_SECRET
  const { user, client, redirectUri, challenge } = decode<Grant>(form.get('code') ?? '')
  const verifier = createHash('sha256')
    .update(form.get('code_verifier') ?? '')
    .digest('base64url')
  const isRight =
    form.get('client_id') === client &&
    form.get('client_secret') === secret &&
    form.get('redirect_uri') === redirectUri &&
    (challenge === null || challenge === verifier)
  if (!isRight) return Response.json({ error: 'invalid_grant' }, { status: hostname === 'github.com' ? 200 : 400 })
  const { sub, email, name, verified, picture } = user
  const claims = {
    iss: 'https://accounts.google.com',
    aud: client,
    sub,
    email,
    name,
    picture,
    email_verified: verified,
    exp: 4_000_000_000,
    iat: 1,
  }
  const idToken = hostname === 'github.com' ? {} : { id_token: `${encode({ alg: 'RS256' })}.${encode(claims)}.x` }
  return respond(user, 'token', { access_token: encode(user), token_type: 'bearer', scope: 'email', ...idToken })
}

const userOf = (header: string | null): ProviderUser | null =>
  header?.startsWith('Bearer ') ? decode<ProviderUser>(header.slice(7)) : null

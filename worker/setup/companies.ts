/** Whether companies know us: each is asked what only a good key may ask. Redirects are not followed, because a key would travel along. */
import type { Settings } from '../env.ts'
import { boundedJson } from '../lib/bounded-body.ts'
import { type Finding, works, wrong } from './finding.ts'

const gatewayUrl = 'https://ai-gateway.vercel.sh'
const searchUrl = 'https://api.exa.ai'
const googleUrl = 'https://oauth2.googleapis.com'
const githubUrl = 'https://api.github.com'

/** Ours: lists of domains and refusals take a few KB. */
const maxAnswerBytes = 1_000_000

const ask = (url: string, key: string | null, init: RequestInit = {}): Promise<Response> =>
  fetch(url, { redirect: 'manual', ...init, headers: { ...(key === null ? {} : { authorization: `Bearer ${key}` }), ...init.headers } })

const post = (body: unknown): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

async function verdict(response: Response): Promise<Finding> {
  await response.body?.cancel()
  if (response.ok) return works('Answers, and knows the key.')
  if (response.status === 401 || response.status === 403) return wrong('Answers, but does not know the key.')
  return wrong(`Answers with status ${response.status}.`)
}

export async function checkGateway(gateway: Settings['gateway']): Promise<Finding> {
  if (!gateway) return wrong('Not set.')
  const response = await ask(`${gateway.url === null ? gatewayUrl : new URL(gateway.url).origin}/v1/credits`, gateway.apiKey)
  // A gateway of another company need not have this page; that it answers is all there is to know.
  const found = await verdict(response)
  const isElsewhere = response.status === 404 && gateway.url !== null
  return isElsewhere ? works('Answers; whether it knows the key shows with the first message.') : found
}

export async function checkModels(
  server: { readonly url: string; readonly apiKey?: string | null } | null,
  path: string,
): Promise<Finding> {
  return server ? verdict(await ask(server.url + path, server.apiKey ?? null)) : wrong('Not set.')
}

export async function checkSearch(search: Settings['search']): Promise<Finding> {
  if (!search) return wrong('Not set.')
  const asked = post({ query: 'a test of this installation', numResults: 1 })
  return verdict(await fetch(`${search.url ?? searchUrl}/search`, { ...asked, headers: { ...asked.headers, 'x-api-key': search.apiKey } }))
}

type Domains = { readonly data?: readonly { readonly name: string; readonly status: string }[] }

export async function checkMail(mail: Settings['mail']): Promise<Finding> {
  if (!mail) return wrong('Not set.')
  const response = await ask(`${mail.url}/domains`, mail.apiKey)
  if (!response.ok) {
    const { name } = (await boundedJson(response, maxAnswerBytes).catch(() => ({}))) as { name?: string }
    // A key that may do nothing but send is the better key.
    if (name === 'restricted_api_key') return works('The key may only send, so the domain of MAIL_FROM could not be checked.')
    return response.status === 401 || response.status === 403
      ? wrong('Answers, but does not know the key.')
      : wrong(`Answers with status ${response.status}.`)
  }
  const domain = /@([^>\s]+)>?$/.exec(mail.from)?.[1]
  const { data = [] } = (await boundedJson(response, maxAnswerBytes)) as Domains
  const found = data.find(({ name }) => domain === name || domain?.endsWith(`.${name}`))
  if (!found) return wrong(`The domain of MAIL_FROM (${domain}) is not one of this account’s.`)
  return found.status === 'verified' ? works('The sending domain is verified.') : wrong(`The sending domain is ${found.status}.`)
}

/** A code that nobody gave: refused as a code where the client is known, as a client where it is not. */
export async function checkGoogle(google: Settings['google'], url = googleUrl): Promise<Finding> {
  if (!google) return wrong('Not set.')
  const response = await fetch(`${url}/token`, {
    method: 'POST',
    body: new URLSearchParams({
      client_id: google.clientId,
      client_secret: google.clientSecret,
      grant_type: 'authorization_code',
      code: 'nobody-gave-this',
      redirect_uri: 'https://localhost/',
    }),
  })
  const { error } = (await boundedJson(response, maxAnswerBytes).catch(() => ({}))) as { error?: string }
  return error === 'invalid_client' ? wrong('Google does not know this client id with this secret.') : works('Google knows the client.')
}

export async function checkGitHub(github: Settings['github'], url = githubUrl): Promise<Finding> {
  if (!github) return wrong('Not set.')
  const response = await fetch(`${url}/applications/${encodeURIComponent(github.clientId)}/token`, {
    ...post({ access_token: 'nobody-has-this' }),
    headers: {
      authorization: `Basic ${btoa(`${github.clientId}:${github.clientSecret}`)}`,
      accept: 'application/vnd.github+json',
      'user-agent': 'Parley',
    },
  })
  await response.body?.cancel()
  return response.status === 401 ? wrong('GitHub does not know this client id with this secret.') : works('GitHub knows the client.')
}

export async function checkRedis(redis: Settings['redis']): Promise<Finding> {
  return redis ? verdict(await ask(redis.url, redis.token, post(['PING']))) : wrong('Not set.')
}

type Verdict = { readonly success?: boolean; readonly 'error-codes'?: readonly string[] }

/** A made-up token: Turnstile rejects the token where it accepts the secret key. The site key only a browser can check. */
export async function checkTurnstile(turnstile: Settings['turnstile']): Promise<Finding> {
  if (!turnstile) return wrong('Not set.')
  const asked = post({ secret: turnstile.secretKey, response: 'made-up-token' })
  const response = await fetch(`${turnstile.url}/turnstile/v0/siteverify`, { redirect: 'manual', ...asked })
  const { success, 'error-codes': codes = [] } = (await boundedJson(response, maxAnswerBytes).catch(() => ({}))) as Verdict
  if (codes.includes('invalid-input-secret')) return wrong('Turnstile does not know TURNSTILE_SECRET_KEY.')
  if (success === true) return wrong('Turnstile accepts every token: TURNSTILE_SECRET_KEY is a test key.')
  return codes.includes('invalid-input-response')
    ? works('Turnstile knows the secret key.')
    : wrong(`Answers with status ${response.status}.`)
}

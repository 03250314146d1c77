/** The checks of a deployment, except those of payments and backups: the address, the bindings of Cloudflare, then other services. */
import { z } from 'zod'
import type { Env } from '../bindings.ts'
import { smallModels } from '../contract/models/small-models.ts'
import { schemaGaps } from '../db/schema-gaps.ts'
import { contentDbs, directoryDb } from '../db/shards.ts'
import { bytesOfBase64 } from '../lib/base64.ts'
import { boundedJson } from '../lib/bounded-body.ts'
import type { Settings } from '../settings.ts'

/** The result of one check, with a sentence for the operator. `warning`: the part works, but has a risk. */
export type Finding = { readonly state: 'works' | 'warning' | 'wrong' | 'off'; readonly detail: string }

export const works = (detail: string): Finding => ({ state: 'works', detail })
export const warning = (detail: string): Finding => ({ state: 'warning', detail })
export const wrong = (detail: string): Finding => ({ state: 'wrong', detail })
export const off = (detail: string): Finding => ({ state: 'off', detail })

export function checkAddress({ publicUrl }: Settings, requestUrl: string): Finding {
  const { origin } = new URL(requestUrl)
  if (publicUrl === origin) return works('This page was requested at PUBLIC_URL.')
  return wrong(`This page was requested at ${origin}, but PUBLIC_URL is another address. Login and payments redirect to PUBLIC_URL.`)
}

export async function checkDatabase(env: Env): Promise<Finding> {
  const databases = new Set([directoryDb(env), ...contentDbs(env)])
  const gaps = (await Promise.all([...databases].map(schemaGaps))).flat()
  if (gaps.length === 0) return works('D1 is reachable and every migration is applied.')
  return wrong(`Migrations are missing (npm run deploy applies them): ${gaps.slice(0, 5).join(', ')}.`)
}

/** A unique key, because two checks may run at the same time. */
const newProbe = () => `setup/probe-${crypto.randomUUID()}`

export async function checkFirstPages({ FIRST_PAGES }: Env): Promise<Finding> {
  if (!FIRST_PAGES) return wrong('No namespace is bound as FIRST_PAGES.')
  const probe = newProbe()
  await FIRST_PAGES.put(probe, 'written', { expirationTtl: 60 })
  await FIRST_PAGES.get(probe)
  await FIRST_PAGES.delete(probe)
  return works('Write and read succeed.')
}

/** Uses the bucket as the product does: write, range read, delete. */
export async function checkFiles({ FILES }: Env): Promise<Finding> {
  if (!FILES) return wrong('No bucket is bound as FILES.')
  const probe = newProbe()
  await FILES.put(probe, 'written')
  const part = await FILES.get(probe, { range: { offset: 0, length: 4 } })
  const text = await part?.text()
  await FILES.delete(probe)
  return text === 'writ' ? works('Write and read succeed.') : wrong('The written file could not be read back.')
}

/* Other services: one request each that only a valid key may make. Redirects are not followed, because they would forward the key. */

const gatewayUrl = 'https://ai-gateway.vercel.sh'
const searchUrl = 'https://api.exa.ai'
const googleUrl = 'https://oauth2.googleapis.com'
const githubUrl = 'https://api.github.com'
const dnsUrl = 'https://cloudflare-dns.com'

/** Chosen: domain lists and error responses take a few KB. */
const maxAnswerBytes = 1_000_000

const request = (url: string, key: string | null, init: RequestInit = {}): Promise<Response> =>
  fetch(url, { redirect: 'manual', ...init, headers: { ...(key === null ? {} : { authorization: `Bearer ${key}` }), ...init.headers } })

const post = (body: unknown): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

async function findingOf(response: Response): Promise<Finding> {
  await response.body?.cancel()
  if (response.ok) return works('Reachable; the key is valid.')
  if (response.status === 401 || response.status === 403) return wrong('Reachable, but the key is invalid.')
  return wrong(`Responds with status ${response.status}.`)
}

export async function checkGateway(gateway: Settings['gateway']): Promise<Finding> {
  if (!gateway) return wrong('Not set.')
  const response = await request(`${gateway.url === null ? gatewayUrl : new URL(gateway.url).origin}/v1/credits`, gateway.apiKey)
  // Another provider's gateway may lack this endpoint; the response then only proves that the gateway is reachable.
  const found = await findingOf(response)
  const isElsewhere = response.status === 404 && gateway.url !== null
  return isElsewhere ? works('Reachable; the key is checked only by the first message.') : found
}

export async function checkModels(
  server: { readonly url: string; readonly apiKey?: string | null } | null,
  path: string,
): Promise<Finding> {
  return server ? findingOf(await request(server.url + path, server.apiKey ?? null)) : wrong('Not set.')
}

/** The binding gives the reason as a number and a text, and the text may quote the request. */
const bindingCode = z.object({ message: z.string().regex(/^\D{0,20}\d{4}:/) })

/** Asks the smallest model for one token. */
export async function checkWorkersAi(workersAi: Settings['workersAi']): Promise<Finding> {
  if (!workersAi) return wrong('Not bound.')
  try {
    await workersAi.run(smallModels['workers-ai'].model, { messages: [{ role: 'user', content: 'Hello' }], max_tokens: 1 })
    return works('A model answers.')
  } catch (error) {
    const code = /\d{4}/.exec(bindingCode.safeParse(error).data?.message ?? '')?.[0]
    return wrong(code ? `Workers AI refuses the request with code ${code}.` : 'Workers AI does not answer.')
  }
}

/** Reads the size of an image of one pixel, which costs nothing. */
export async function checkImages({ IMAGES }: Pick<Env, 'IMAGES'>): Promise<Finding> {
  if (!IMAGES) return wrong('Not bound.')
  const info = await IMAGES.info(new Blob([bytesOfBase64(onePixel)]).stream())
  return 'width' in info && info.width === 1 ? works('Images can be read.') : wrong('An image could not be read.')
}
const onePixel = 'R0lGODdhAQABAIABAAAAAP///ywAAAAAAQABAAACAkQBADs='

export async function checkSearch(search: Settings['search']): Promise<Finding> {
  if (!search) return wrong('Not set.')
  const init = post({ query: 'a test of this installation', numResults: 1 })
  return findingOf(await fetch(`${search.url ?? searchUrl}/search`, { ...init, headers: { ...init.headers, 'x-api-key': search.apiKey } }))
}

type Domains = { readonly data?: readonly { readonly name: string; readonly status: string }[] }

export async function checkMail(mail: Settings['mail'], dns = dnsUrl): Promise<Finding> {
  if (!mail) return wrong('Not set.')
  const domain = /@([^>\s]+)>?$/.exec(mail.from)?.[1]
  if (mail.via === 'cloudflare') return checkSendingDomain(domain, dns)
  const response = await request(`${mail.url}/domains`, mail.apiKey)
  if (!response.ok) {
    const { name } = (await boundedJson(response, maxAnswerBytes).catch(() => ({}))) as { name?: string }
    // A key restricted to sending is preferable, although it cannot list domains.
    if (name === 'restricted_api_key') return works('The key can only send, so the domain of MAIL_FROM was not checked.')
    return response.status === 401 || response.status === 403
      ? wrong('Reachable, but the key is invalid.')
      : wrong(`Responds with status ${response.status}.`)
  }
  const { data = [] } = (await boundedJson(response, maxAnswerBytes)) as Domains
  const found = data.find(({ name }) => domain === name || domain?.endsWith(`.${name}`))
  if (!found) return wrong(`The domain of MAIL_FROM (${domain}) does not belong to this account.`)
  return found.status === 'verified' ? works('The sending domain is verified.') : wrong(`The sending domain is ${found.status}.`)
}

const dnsAnswer = z.object({ Status: z.number(), Answer: z.array(z.object({ type: z.number() })).optional() })
const mx = 15

/**
 * The binding of Email Service cannot list its domains, and a mail as a test would be delivered. Adding a domain creates an MX record for its
 * bounces (https://developers.cloudflare.com/email-service/get-started/send-emails/), which this looks up over DNS.
 */
async function checkSendingDomain(domain: string | undefined, dns: string): Promise<Finding> {
  if (domain === undefined) return wrong('MAIL_FROM has no address.')
  const name = `cf-bounce.${domain}`
  const response = await request(`${dns}/dns-query?type=MX&name=${encodeURIComponent(name)}`, null, {
    headers: { accept: 'application/dns-json' },
  })
  const answer = dnsAnswer.safeParse(await boundedJson(response, maxAnswerBytes).catch(() => null)).data
  if (!answer) return warning('Email Service is bound. Whether the domain of MAIL_FROM may send was not checked: DNS does not answer.')
  return answer.Answer?.some(({ type }) => type === mx)
    ? works('Email Service is bound, and the domain of MAIL_FROM has its records.')
    : wrong(
        `The domain of MAIL_FROM (${domain}) is not set up for Email Service: ${name} has no MX record. Add it in the dashboard: Email Sending → Onboard domain.`,
      )
}

/** Sends an invalid authorization code. A known client gets `invalid_grant`, an unknown client `invalid_client`. */
export async function checkGoogle(google: Settings['google'], url = googleUrl): Promise<Finding> {
  if (!google) return wrong('Not set.')
  const response = await fetch(`${url}/token`, {
    method: 'POST',
    body: new URLSearchParams({
      client_id: google.clientId,
      client_secret: google.clientSecret,
      grant_type: 'authorization_code',
      code: 'made-up-code',
      redirect_uri: 'https://localhost/',
    }),
  })
  const { error } = (await boundedJson(response, maxAnswerBytes).catch(() => ({}))) as { error?: string }
  return error === 'invalid_client' ? wrong('Google rejects this client id and secret.') : works('Google accepts the client id and secret.')
}

export async function checkGitHub(github: Settings['github'], url = githubUrl): Promise<Finding> {
  if (!github) return wrong('Not set.')
  const response = await fetch(`${url}/applications/${encodeURIComponent(github.clientId)}/token`, {
    ...post({ access_token: 'made-up-token' }),
    headers: {
      authorization: `Basic ${btoa(`${github.clientId}:${github.clientSecret}`)}`,
      accept: 'application/vnd.github+json',
      'user-agent': 'Parley',
    },
  })
  await response.body?.cancel()
  return response.status === 401 ? wrong('GitHub rejects this client id and secret.') : works('GitHub accepts the client id and secret.')
}

export async function checkRedis(redis: Settings['redis']): Promise<Finding> {
  return redis ? findingOf(await request(redis.url, redis.token, post(['PING']))) : wrong('Not set.')
}

/** Sends no spans, which a collector accepts. */
export async function checkCollector(otlp: Settings['otlp']): Promise<Finding> {
  if (!otlp) return wrong('Not set.')
  const init = post({ resourceSpans: [] })
  return findingOf(await request(`${otlp.url}/v1/traces`, null, { ...init, headers: { ...init.headers, ...otlp.headers } }))
}

export const checkAlerts = ({ alerts, mail, standIns }: Settings): Finding =>
  alerts && (mail || standIns) ? works('The operator receives alerts by mail.') : wrong('Alerts need mail, which is off.')

type SiteverifyResponse = { readonly success?: boolean; readonly 'error-codes'?: readonly string[] }

/** Sends an invalid token. With a valid secret key Turnstile rejects only the token. The site key can be checked only in a browser. */
export async function checkTurnstile(turnstile: Settings['turnstile']): Promise<Finding> {
  if (!turnstile) return wrong('Not set.')
  const init = post({ secret: turnstile.secretKey, response: 'made-up-token' })
  const response = await fetch(`${turnstile.url}/turnstile/v0/siteverify`, { redirect: 'manual', ...init })
  const { success, 'error-codes': codes = [] } = (await boundedJson(response, maxAnswerBytes).catch(() => ({}))) as SiteverifyResponse
  if (codes.includes('invalid-input-secret')) return wrong('Turnstile rejects TURNSTILE_SECRET_KEY.')
  if (success === true) return wrong('Turnstile accepts every token: TURNSTILE_SECRET_KEY is a test key.')
  return codes.includes('invalid-input-response')
    ? works('Turnstile accepts the secret key.')
    : wrong(`Responds with status ${response.status}.`)
}

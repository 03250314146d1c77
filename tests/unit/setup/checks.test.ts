// The setup page: working and failing parts, without values and providers' error texts.
import { createServer } from 'node:http'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { eventTypes } from '../../../worker/billing/webhook.ts'
import type { Env } from '../../../worker/bindings.ts'
import { readSettings } from '../../../worker/settings.ts'
import { checkEverything } from '../../../worker/setup/checks.ts'
import { checkGitHub, checkGoogle, checkMail } from '../../../worker/setup/parts.ts'
import { FakeKv } from '../../support/fake-kv.ts'
import { createNodeD1 } from '../../support/node-d1.ts'
import { close, listen } from '../../support/peers/peer-server.ts'

type Answer = { readonly status?: number; readonly body?: unknown }

let url: string
/** By "METHOD /path", called with the key of the request. */
let answers: { [line: string]: (key: string) => Answer } = {}

const server = createServer((request, response) => {
  const key = String(request.headers.authorization ?? request.headers['x-api-key'] ?? '').replace(/^Bearer /, '')
  const answer = answers[`${request.method} ${request.url?.split('?')[0]}`]?.(key) ?? { status: 404 }
  request.resume()
  response.writeHead(answer.status ?? 200, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body ?? {}))
})
beforeAll(async () => {
  url = `http://127.0.0.1:${await listen(server)}`
})
afterAll(() => close(server))

const good = 'a-good-key'
const byKey = (key: string): Answer => (key === good ? {} : { status: 401, body: { message: `who is ${key}` } })

const settingsWith = (key: string) => ({
  ENVIRONMENT: 'production',
  PUBLIC_URL: url,
  MAIL_FROM: 'Parley <no-reply@parley.test>',
  AI_GATEWAY_API_KEY: key,
  AI_GATEWAY_URL: `${url}/v1/ai`,
  OPENROUTER_API_KEY: key,
  OPENROUTER_URL: url,
  SEARCH_API_KEY: key,
  SEARCH_URL: url,
  RESEND_API_KEY: key,
  MAIL_API_URL: url,
  REDIS_URL: `${url}/redis`,
  REDIS_TOKEN: key,
  STRIPE_SECRET_KEY: key,
  STRIPE_WEBHOOK_SECRET: 'whsec_x',
  PRO_MONTHLY_PRICE_ID: 'price_1',
  STRIPE_API_URL: url,
})

const signIn = { GOOGLE_CLIENT_ID: 'id', GOOGLE_CLIENT_SECRET: good, GITHUB_CLIENT_ID: 'id', GITHUB_CLIENT_SECRET: good }

async function statesOf(env: object): Promise<{ [name: string]: string }> {
  const bindings = { DB: createNodeD1(), FIRST_PAGES: new FakeKv().namespace, USER_SYNC: {}, GENERATION: {}, ...env } as unknown as Env
  const result = readSettings(bindings)
  const checked = await checkEverything(bindings, result.ok ? result.settings : result.partial, `${url}/api/setup`)
  expect(JSON.stringify(checked)).not.toMatch(/a-good-key|a-bad-key|whsec_x|who is/)
  return Object.fromEntries(checked.map(({ name, state, detail }) => [name, `${state}: ${detail}`]))
}

const everything = () => ({
  'GET /v1/credits': byKey,
  'GET /key': byKey,
  'POST /search': byKey,
  'POST /redis': byKey,
  'GET /domains': (key: string) => ({ ...byKey(key), body: { data: [{ name: 'parley.test', status: 'verified' }] } }),
  'GET /v1/prices/price_1': (key: string) =>
    key === good
      ? {
          body: {
            id: 'price_1',
            object: 'price',
            active: true,
            recurring: { interval: 'month', interval_count: 1 },
            unit_amount: 2500,
            currency: 'usd',
          },
        }
      : { status: 401, body: { error: { type: 'invalid_request_error', message: `who is ${key}` } } },
  'GET /v1/webhook_endpoints': () => endpoints([{ url: `${url}/api/webhook/stripe`, status: 'enabled', enabled_events: eventTypes }]),
  'POST /api/webhook/stripe': () => ({}),
})

const endpoints = (data: readonly object[]) => ({ body: { object: 'list', data, has_more: false } })

test('a deployment with valid keys works, part by part', async () => {
  answers = everything()
  const states = await statesOf(settingsWith(good))
  expect(states.Address).toMatch(/^works/)
  for (const part of ['Database', 'First-page cache (KV)', 'Models: AI gateway', 'Models: OpenRouter', 'Web search', 'Mail', 'Redis'])
    expect([part, states[part]]).toEqual([part, expect.stringMatching(/^works/)])
  expect(states['Payments: key and price']).toBe('works: The key is valid and the price exists: 25.00 USD a month.')
  expect(states['Payments: webhook']).toMatch(/^works/)
  expect(states['Payments: webhook from outside']).toMatch(/^works/)
  expect(states['Payments: cost of a credit']).toMatch(
    /^warning: PRO at 25\.00 USD a month covers every credit of the models with a price\. Models without a price, .*OpenRouter Auto/,
  )
  expect(states['Files (R2)']).toBe('off: Not set.')
})

test.each([
  ['turnstile-good', ['invalid-input-response'], 'works: Turnstile accepts the secret key.'],
  ['turnstile-bad', ['invalid-input-secret'], 'wrong: Turnstile rejects TURNSTILE_SECRET_KEY.'],
  ['turnstile-odd', ['internal-error'], 'wrong: Responds with status 200.'],
])('a Turnstile secret is checked with a made-up token: %s', async (secret, codes, state) => {
  answers = { ...everything(), 'POST /turnstile/v0/siteverify': () => ({ body: { success: false, 'error-codes': codes } }) }
  const turnstile = { TURNSTILE_SITE_KEY: 'site', TURNSTILE_SECRET_KEY: secret, TURNSTILE_URL: url }
  expect((await statesOf({ ...settingsWith(good), ...turnstile })).Turnstile).toBe(state)
})

test('a test key of Turnstile, which accepts every token, is reported', async () => {
  answers = { ...everything(), 'POST /turnstile/v0/siteverify': () => ({ body: { success: true } }) }
  const turnstile = { TURNSTILE_SITE_KEY: 'site', TURNSTILE_SECRET_KEY: 'k', TURNSTILE_URL: url }
  expect((await statesOf({ ...settingsWith(good), ...turnstile })).Turnstile).toMatch(/^wrong: Turnstile accepts every token/)
})

test('rejected keys are named, without their values', async () => {
  answers = everything()
  const states = await statesOf(settingsWith('a-bad-key'))
  for (const part of ['Models: AI gateway', 'Models: OpenRouter', 'Web search', 'Mail', 'Redis', 'Payments: key and price'])
    expect([part, states[part]]).toEqual([part, expect.stringMatching(/^wrong/)])
})

test.each<[string, object, RegExp]>([
  ['another address', { url: 'https://other.test/' }, /no webhook endpoint for http:\/\/127/],
  ['disabled', { status: 'disabled' }, /disabled/],
  ['deaf', { enabled_events: ['invoice.paid'] }, /customer\.deleted/],
])('an unsuitable webhook endpoint: %s', async (_name, fields, sentence) => {
  const ours = { url: `${url}/api/webhook/stripe`, status: 'enabled', enabled_events: ['*'], ...fields }
  answers = { ...everything(), 'GET /v1/webhook_endpoints': () => endpoints([ours]) }
  expect((await statesOf(settingsWith(good)))['Payments: webhook']).toMatch(sentence)
})

test.each([
  [400, /rejects the signature of STRIPE_WEBHOOK_SECRET/],
  [301, /redirects/],
  [404, /responds with status 404/],
])('an unsuitable address for events, seen from outside: %s', async (status, sentence) => {
  answers = { ...everything(), 'POST /api/webhook/stripe': () => ({ status }) }
  expect((await statesOf(settingsWith(good)))['Payments: webhook from outside']).toMatch(sentence)
})

test.each([200, 301, 400, 404, 500])(
  'every response body is consumed or cancelled, because an open one blocks a connection (status %i)',
  async (status) => {
    const asked: { readonly url: string; isLeft: boolean }[] = []
    const fetched = vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
      const one = { url: new Request(input).url, isLeft: true }
      asked.push(one)
      const body = {
        pull(controller: ReadableStreamDefaultController<Uint8Array>) {
          one.isLeft = false
          controller.enqueue(new TextEncoder().encode('{}'))
          controller.close()
        },
        cancel() {
          one.isLeft = false
        },
      }
      return new Response(new ReadableStream(body, { highWaterMark: 0 }), { status, headers: { 'content-type': 'application/json' } })
    })
    await statesOf({ ...settingsWith(good), ...signIn, OLLAMA_URL: url, OPENAI_COMPATIBLE_URL: url })
    fetched.mockRestore()
    expect(asked.length).toBeGreaterThan(10)
    expect(asked.filter(({ isLeft }) => isLeft)).toEqual([])
  },
)

test('a database without the latest migrations reports the missing columns', async () => {
  const DB = createNodeD1()
  await DB.prepare('drop table billingLease').run()
  answers = everything()
  expect((await statesOf({ ...settingsWith(good), DB })).Database).toMatch(/^wrong: .*billingLease\.id/)
})

test.each([
  [{ unit_amount: 3000 }, /3000 of the smallest unit of USD every month, not 25\.00 USD a month/],
  [{ currency: 'eur' }, /2500 of the smallest unit of EUR every month/],
  [{ unit_amount: null }, /not a fixed amount every month/],
  [{ recurring: { interval: 'month', interval_count: 3 } }, /2500 of the smallest unit of USD every 3 months/],
])('warns of a price that is not 25 USD per month: %j', async (change, warning) => {
  const price = { id: 'price_1', object: 'price', active: true, unit_amount: 2500, currency: 'usd' }
  const recurring = { interval: 'month', interval_count: 1 }
  answers = { ...everything(), 'GET /v1/prices/price_1': () => ({ body: { ...price, recurring, ...change } }) }
  const states = await statesOf(settingsWith(good))
  expect(states['Payments: key and price']).toMatch(/^warning: The price is /)
  expect(states['Payments: key and price']).toMatch(warning)
})

test('responses are read up to a limit', async () => {
  const much = 'x'.repeat(17 * 1024 * 1024)
  const longAnswer = (body: object) => () => ({ body: { ...body, much } })
  answers = {
    ...everything(),
    'GET /domains': longAnswer({ data: [{ name: 'parley.test', status: 'verified' }] }),
    'GET /v1/prices/price_1': longAnswer({ id: 'price_1', object: 'price', active: true, recurring: { interval: 'month' } }),
  }
  const states = await statesOf(settingsWith(good))
  for (const part of ['Mail', 'Payments: key and price']) expect(states[part]).toMatch(/^wrong: (Cannot be reached|No response)/)
})

describe('mail through Email Service', () => {
  const mail = (from: string) => ({ via: 'cloudflare' as const, binding: {} as SendEmail, from })

  test.each<[string, string, Answer, RegExp]>([
    ['a domain with the record', 'Parley <no-reply@chat.test>', { body: { Status: 0, Answer: [{ type: 15 }] } }, /^works/],
    ['a domain without it', 'no-reply@chat.test', { body: { Status: 3 } }, /^wrong: The domain of MAIL_FROM \(chat\.test\) is not set up/],
    ['another record', 'no-reply@chat.test', { body: { Status: 0, Answer: [{ type: 5 }] } }, /^wrong/],
    ['a DNS that fails', 'no-reply@chat.test', { status: 500, body: 'no' }, /^warning: .*not checked/],
    ['a sender without an address', 'Parley', {}, /^wrong: MAIL_FROM has no address\./],
  ])('%s', async (_name, from, answer, expected) => {
    answers = { 'GET /dns-query': () => answer }
    const { state, detail } = await checkMail(mail(from), url)
    expect(`${state}: ${detail}`).toMatch(expected)
  })
})

test.each<[string, () => Promise<unknown>, string]>([
  ['answers', async () => ({ response: 'H' }), 'works: A model answers.'],
  ['is out of quota', () => Promise.reject(new Error('3036: who is a-bad-key')), 'wrong: Workers AI refuses the request with code 3036.'],
  ['fails', () => Promise.reject(new Error('who is a-bad-key')), 'wrong: Workers AI does not answer.'],
])('a binding of Workers AI that %s', async (_name, run, state) => {
  expect((await statesOf({ ENVIRONMENT: 'production', AI: { run } }))['Models: Workers AI']).toBe(state)
})

test('the binding of Images reads an image of one pixel', async () => {
  const sizes: number[] = []
  const info = async (stream: ReadableStream) => {
    sizes.push((await new Response(stream).arrayBuffer()).byteLength)
    return { format: 'image/gif', width: 1, height: 1, fileSize: 35 }
  }
  expect((await statesOf({ ENVIRONMENT: 'production', IMAGES: { info } })).Images).toBe('works: Images can be read.')
  expect(sizes).toEqual([35])
  expect((await statesOf({ ENVIRONMENT: 'production' })).Images).toBe('off: Not set.')
})

test('missing and disabled parts are not tried', async () => {
  const states = await statesOf({ ENVIRONMENT: 'production', DISABLED_FEATURES: 'billing' })
  expect(Object.keys(states).filter((name) => name.startsWith('Payments'))).toEqual([])
  expect(states['Web search']).toBe('off: Not set.')
  expect(states.Turnstile).toMatch(/^off: TURNSTILE_SITE_KEY is not set\. Cloudflare Turnstile: a challenge/)
  expect(states.Database).toMatch(/^works/)
})

test('Google’s and GitHub’s refusals of a code show if the client is valid', async () => {
  const client = { clientId: 'id', clientSecret: 'a-bad-key' }
  answers = {
    'POST /token': () => ({ status: 401, body: { error: 'invalid_client' } }),
    'POST /applications/id/token': () => ({ status: 401 }),
  }
  expect([(await checkGoogle(client, url)).state, (await checkGitHub(client, url)).state]).toEqual(['wrong', 'wrong'])
  answers = {
    'POST /token': () => ({ status: 400, body: { error: 'invalid_grant' } }),
    'POST /applications/id/token': () => ({ status: 404 }),
  }
  expect([(await checkGoogle(client, url)).state, (await checkGitHub(client, url)).state]).toEqual(['works', 'works'])
})

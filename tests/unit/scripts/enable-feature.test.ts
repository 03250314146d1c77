// `npm run deploy -- enable NAME`: the questions, the checks before anything is stored, and the objects that it creates at Stripe.
import { createServer } from 'node:http'
import { PassThrough } from 'node:stream'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { settingsToEnable } from '../../../scripts/deploy/enable-feature.ts'
import type { Settings } from '../../../scripts/lib/settings.ts'
import { eventTypes } from '../../../worker/billing/webhook.ts'
import type { Feature } from '../../../worker/setting-definitions.ts'
import { close, listen } from '../../support/peers/peer-server.ts'
import { type StripePeer, startStripePeer } from '../../support/peers/stripe.ts'

/** Exa, which accepts one key. */
const exa = createServer((request, response) => {
  request.resume()
  response.writeHead(request.headers['x-api-key'] === 'good' ? 200 : 401).end('{}')
})
let exaUrl = ''
let stripe: StripePeer
beforeAll(async () => {
  exaUrl = `http://127.0.0.1:${await listen(exa)}`
})
afterAll(() => close(exa))
beforeEach(async () => {
  stripe = await startStripePeer()
  return () => stripe.stop()
})

const address = { PUBLIC_URL: 'https://parley.test' }
type Setup = { readonly stored?: readonly string[]; readonly typed?: string }

/** Without `typed`, there is no terminal. */
async function enable(feature: Feature, given: Settings, { stored = [], typed }: Setup = {}) {
  const lines: string[] = []
  const input = new PassThrough()
  const terminal = typed === undefined ? null : { input, output: new PassThrough() }
  if (typed !== undefined) input.write(typed)
  const known = { vars: {}, given: { ...address, ...given }, stored: new Set(stored) }
  return { added: await settingsToEnable(feature, known, { terminal, log: (line) => void lines.push(line) }), lines }
}

test('settings that are typed are returned once the provider accepts them', async () => {
  const { added, lines } = await enable('search', { SEARCH_URL: exaUrl }, { typed: 'good\r' })
  expect(added).toEqual({ SEARCH_API_KEY: 'good' })
  expect(lines).toEqual(['Web search: Reachable; the key is valid'])
})

test.each<[string, Feature, Settings, string]>([
  ['the provider rejects', 'search', { SEARCH_API_KEY: 'bad' }, 'Web search: Reachable, but the key is invalid.'],
  ['is missing without a terminal', 'search', {}, 'search needs SEARCH_API_KEY. Add it to .prod.vars, or run the command in a terminal'],
  ['Stripe rejects', 'billing', { STRIPE_SECRET_KEY: 'sk_unknown' }, 'Stripe rejects STRIPE_SECRET_KEY'],
])('a setting that %s stops the command', async (_name, feature, given, sentence) => {
  await expect(enable(feature, { SEARCH_URL: exaUrl, STRIPE_API_URL: stripe.url, ...given })).rejects.toThrow(sentence)
})

test('a setting that is stored at Cloudflare cannot be checked', async () => {
  const { added, lines } = await enable('search', { SEARCH_URL: exaUrl }, { stored: ['SEARCH_API_KEY'] })
  expect([added, lines]).toEqual([{}, ['SEARCH_API_KEY is stored at Cloudflare and cannot be read back, so search was not checked']])
})

const payments = () => ({ STRIPE_SECRET_KEY: stripe.secretKey, STRIPE_API_URL: stripe.url })
const counts = () => Object.fromEntries(Object.entries(stripe.setup).map(([kind, objects]) => [kind, objects.length]))
const one = { products: 1, prices: 1, webhooks: 1, portals: 1 }

test('payments need one key: product, price, portal and webhook are created with it, once', async () => {
  const { added, lines } = await enable('billing', payments())
  const [webhook] = stripe.setup.webhooks
  expect(added).toEqual({
    PRO_MONTHLY_PRICE_ID: stripe.setup.prices[0]?.id,
    STRIPE_PORTAL_ID: stripe.setup.portals[0]?.id,
    STRIPE_WEBHOOK_SECRET: webhook?.secret,
  })
  expect(stripe.setup.prices[0]).toMatchObject({ unit_amount: 2500, currency: 'usd', recurring: { interval: 'month' } })
  expect(webhook).toMatchObject({ url: 'https://parley.test/api/webhook/stripe', enabled_events: eventTypes })
  expect(lines).toContain('Payments: key and price: The key is valid and the price exists: 25.00 USD a month')

  expect((await enable('billing', { ...payments(), ...added })).added).toEqual({})
  expect(counts()).toEqual(one)
})

test.each(['POST /v1/products', 'POST /v1/prices', 'POST /v1/billing_portal/configurations', 'POST /v1/webhook_endpoints'])(
  'an interruption after %s leaves nothing twice',
  async (call) => {
    // The SDK sends a request three times.
    stripe.misbehave(call, 'lost', 'lost', 'lost')
    await expect(enable('billing', payments())).rejects.toThrow()
    const { added } = await enable('billing', payments())
    expect(counts()).toEqual(one)
    expect(added.STRIPE_WEBHOOK_SECRET).toBe(stripe.setup.webhooks[0]?.secret)
  },
)

test('a webhook endpoint that someone else created is kept, and its secret is needed', async () => {
  stripe.setup.webhooks.push({
    id: 'we_own',
    url: 'https://parley.test/api/webhook/stripe',
    status: 'enabled',
    metadata: {},
    enabled_events: [],
  })
  await expect(enable('billing', payments())).rejects.toThrow(/already has a webhook endpoint .* STRIPE_WEBHOOK_SECRET/)
  const { added } = await enable('billing', { ...payments(), STRIPE_WEBHOOK_SECRET: 'whsec_own' })
  expect(added.STRIPE_WEBHOOK_SECRET).toBeUndefined()
  expect(stripe.setup.webhooks).toMatchObject([{ id: 'we_own', enabled_events: eventTypes }])
})

test('the portal of the dashboard is used without an id', async () => {
  stripe.setup.portals.push({ id: 'bpc_own', is_default: true, metadata: {} })
  expect((await enable('billing', payments())).added).not.toHaveProperty('STRIPE_PORTAL_ID')
})

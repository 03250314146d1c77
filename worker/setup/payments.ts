/** Checks of payments: the Stripe key, the price and the webhook endpoint. */
import type Stripe from 'stripe'
import { billingFor, nullWhenMissing, readProPrice } from '../billing/billing.ts'
import { eventTypes, signEvent } from '../billing/webhook.ts'
import type { Env } from '../bindings.ts'
import { creditMicroDollarsAt } from '../contract/models/quote.ts'
import { defaultProPrice, type ProPrice } from '../contract/organizations/pro-price.ts'
import { readAvailableModels } from '../db/catalogue.ts'
import { directoryDb } from '../db/shards.ts'
import type { Settings } from '../settings.ts'
import { type CostedModel, creditCost } from './credit-cost.ts'
import { type Finding, warning, works, wrong } from './parts.ts'

export async function checkPrice(env: Env, settings: Settings): Promise<Finding> {
  const billing = billingFor(env, settings)
  if (!billing) return wrong('Not set.')
  const price = await billing.stripe.prices.retrieve(billing.priceId).catch(nullWhenMissing)
  if (!price) return wrong('The key is valid, but PRO_MONTHLY_PRICE_ID is not a price of its account.')
  if (!price.active) return wrong('The price is archived.')
  if (price.recurring?.interval !== 'month') return wrong('The price is not monthly.')
  const { unitAmount, currency } = defaultProPrice
  const isExpected = price.unit_amount === unitAmount && price.currency === currency && price.recurring.interval_count === 1
  if (!isExpected)
    return warning(`The price is ${amountOf(price)}, not 25.00 USD a month. The page shows the price of Stripe; check that it is intended.`)
  return works('The key is valid and the price exists: 25.00 USD a month.')
}

export async function checkEvents(env: Env, settings: Settings): Promise<Finding> {
  const billing = billingFor(env, settings)
  if (!billing || !settings.stripe) return wrong('Not set.')
  if (!settings.stripe.webhookSecret.startsWith('whsec_')) return wrong('STRIPE_WEBHOOK_SECRET must begin with whsec_.')
  if (settings.publicUrl === null) return wrong('PUBLIC_URL is not set, so the webhook address is unknown.')
  const url = webhookUrl(settings.publicUrl)
  const { data } = await billing.stripe.webhookEndpoints.list({ limit: 100 })
  const endpoint = data.find((one) => one.url === url)
  if (!endpoint) return wrong(`Stripe has no webhook endpoint for ${url}.`)
  if (endpoint.status !== 'enabled') return wrong('The webhook endpoint is disabled at Stripe.')
  const unsent = endpoint.enabled_events.includes('*') ? [] : eventTypes.filter((type) => !endpoint.enabled_events.includes(type))
  if (unsent.length > 0) return wrong(`The webhook endpoint does not receive these events: ${unsent.join(', ')}.`)
  return works('Stripe sends all required events here.')
}

/**
 * Checks the public webhook URL with a signed test event that concerns no customer. The event changes nothing and causes no further
 * requests.
 */
export async function checkWebhook(env: Env, settings: Settings): Promise<Finding> {
  const billing = billingFor(env, settings)
  if (!billing || settings.publicUrl === null) return wrong('Not set.')
  const url = webhookUrl(settings.publicUrl)
  const body = JSON.stringify({ id: 'evt_probe', object: 'event', type: 'parley.probe', data: { object: {} } })
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'stripe-signature': await signEvent(billing, body) },
    body,
    redirect: 'manual',
  })
  // An unread body would keep the connection open.
  await response.body?.cancel()
  const { status } = response
  if (status === 200) return works('A signed test event reached the public address.')
  if (status === 400)
    return wrong(`${url} rejects the signature of STRIPE_WEBHOOK_SECRET. It may be another deployment, or a proxy changes request bodies.`)
  if (status >= 300 && status < 400) return wrong(`${url} redirects, and Stripe does not follow redirects.`)
  return wrong(`${url} responds with status ${status}.`)
}

function amountOf({ unit_amount: unitAmount, currency, recurring }: Stripe.Price): string {
  const amount = unitAmount === null ? 'not a fixed amount' : `${unitAmount} of the smallest unit of ${currency.toUpperCase()}`
  const { interval = '', interval_count: count = 1 } = recurring ?? {}
  return `${amount} every ${count === 1 ? interval : `${count} ${interval}s`}`
}

export const webhookUrl = (publicUrl: string): string => `${publicUrl}/api/webhook/stripe`

/** Warns when a PRO subscription can cost more than it brings. */
export async function checkCreditCosts(env: Env, settings: Settings): Promise<Finding> {
  const billing = billingFor(env, settings)
  const models = await readAvailableModels(directoryDb(env))
  return creditCostFinding(models, billing && (await readProPrice(billing)), settings.creditMicroDollars)
}

type NamedModel = CostedModel & { readonly name: string }

/** The default price applies if Stripe's price is unknown or has another currency than the costs. */
export function creditCostFinding(models: readonly NamedModel[], stripePrice: ProPrice | null, creditMicroDollars: number): Finding {
  const price = stripePrice?.currency === 'usd' ? stripePrice : null
  const pro = price
    ? `PRO at ${(price.unitAmount / 100).toFixed(2)} USD a month`
    : `PRO at ${defaultProPrice.unitAmount / 100} USD a month (the default, because Stripe returned no price in USD)`
  const revenue = creditMicroDollarsAt(price ?? defaultProPrice)
  const costs = models.map((model) => ({
    name: model.name,
    microDollars: creditCost('pro', model, creditMicroDollars)?.highestMicroDollars ?? null,
  }))
  const unpriced = costs.filter(({ microDollars }) => microDollars === null).map(({ name }) => name)
  const losing = costs.flatMap(({ name, microDollars }) => (microDollars !== null && microDollars > revenue ? { name, microDollars } : []))
  const [dearest] = losing.toSorted((a, b) => b.microDollars - a.microDollars)
  if (!dearest && unpriced.length === 0) return works(`${pro} covers every credit, whatever the model.`)
  const priced = dearest
    ? `${pro} has ${cents(revenue)} for a credit if all credits are used, without the part for fees and free requests. In the worst case a credit costs more with ${losing.length} of ${costs.length} models, at most ${cents(dearest.microDollars)} with ${dearest.name}. CREDIT_MICRO_DOLLARS=${revenue} or less covers them.`
    : `${pro} covers every credit of the models with a price.`
  const unknown = unpriced.length > 0 ? ` Models without a price, whose cost is unknown: ${unpriced.length} (${firstOf(unpriced)}).` : ''
  return warning(`${priced}${unknown} \`npm run credit-costs\` prints the costs by mode.`)
}

const maxNames = 3

const firstOf = (names: readonly string[]): string =>
  [...names.slice(0, maxNames), ...(names.length > maxNames ? [`${names.length - maxNames} more`] : [])].join(', ')

const cents = (microDollars: number): string => `${(microDollars / 10_000).toFixed(2)} cents`

/** Whether people can pay: the key, the price, and the address that Stripe tells us its events at. */
import type Stripe from 'stripe'
import { billingFor } from '../billing/billing.ts'
import { nullWhenMissing } from '../billing/missing.ts'
import { eventTypes, signEvent } from '../billing/webhook.ts'
import { defaultProPrice } from '../contract/pro-price.ts'
import type { Env, Settings } from '../env.ts'
import { type Finding, works, wrong } from './finding.ts'

export async function checkPrice(env: Env, settings: Settings): Promise<Finding> {
  const billing = billingFor(env, settings)
  if (!billing) return wrong('Not set.')
  const price = await billing.stripe.prices.retrieve(billing.priceId).catch(nullWhenMissing)
  if (!price) return wrong('The key is good, but PRO_MONTHLY_PRICE_ID names no price of its account.')
  if (!price.active) return wrong('The price is archived.')
  if (price.recurring?.interval !== 'month') return wrong('The price is not a monthly one.')
  const { unitAmount, currency } = defaultProPrice
  const isExpected = price.unit_amount === unitAmount && price.currency === currency && price.recurring.interval_count === 1
  if (!isExpected)
    return wrong(`The price is ${amountOf(price)}, not 25.00 USD a month. The page shows the price of Stripe; check that it is intended.`)
  return works('The key is good and the price is there: 25.00 USD a month.')
}

export async function checkEvents(env: Env, settings: Settings): Promise<Finding> {
  const billing = billingFor(env, settings)
  if (!billing || !settings.stripe) return wrong('Not set.')
  if (!settings.stripe.webhookSecret.startsWith('whsec_'))
    return wrong('STRIPE_WEBHOOK_SECRET does not look like one: they begin with whsec_.')
  if (settings.publicUrl === null) return wrong('PUBLIC_URL is not set, so nobody knows where events should go.')
  const url = webhookAt(settings.publicUrl)
  const { data } = await billing.stripe.webhookEndpoints.list({ limit: 100 })
  const endpoint = data.find((one) => one.url === url)
  if (!endpoint) return wrong(`Stripe has no webhook endpoint for ${url}.`)
  if (endpoint.status !== 'enabled') return wrong('The webhook endpoint is disabled at Stripe.')
  const unsent = endpoint.enabled_events.includes('*') ? [] : eventTypes.filter((type) => !endpoint.enabled_events.includes(type))
  if (unsent.length > 0) return wrong(`The webhook endpoint is not told of: ${unsent.join(', ')}.`)
  return works('Stripe sends every event we need here.')
}

/**
 * The address from outside, as Stripe would come to it: an event that is signed with our secret and is about nobody. It changes nothing, and
 * whoever receives it asks nobody else.
 */
export async function checkWebhook(env: Env, settings: Settings): Promise<Finding> {
  const billing = billingFor(env, settings)
  if (!billing || settings.publicUrl === null) return wrong('Not set.')
  const url = webhookAt(settings.publicUrl)
  const body = JSON.stringify({ id: 'evt_probe', object: 'event', type: 'parley.probe', data: { object: {} } })
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'stripe-signature': await signEvent(billing, body) },
    body,
    redirect: 'manual',
  })
  // Unread it would hold a connection.
  await response.body?.cancel()
  const { status } = response
  if (status === 200) return works('An event that was signed and sent to its public address arrived.')
  if (status === 400)
    return wrong(`${url} refuses what STRIPE_WEBHOOK_SECRET signed: another deployment, or something that changes bodies.`)
  if (status >= 300 && status < 400) return wrong(`${url} leads elsewhere, where Stripe does not follow.`)
  return wrong(`${url} answers with status ${status}.`)
}

function amountOf({ unit_amount: unitAmount, currency, recurring }: Stripe.Price): string {
  const amount = unitAmount === null ? 'not a fixed amount' : `${unitAmount} of the smallest unit of ${currency.toUpperCase()}`
  const { interval = '', interval_count: count = 1 } = recurring ?? {}
  return `${amount} every ${count === 1 ? interval : `${count} ${interval}s`}`
}

const webhookAt = (publicUrl: string): string => `${publicUrl}/api/webhook/stripe`

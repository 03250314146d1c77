// Creates at Stripe what payments need: the product and its monthly price, the webhook endpoint, and the configuration of the customer
// portal. Each object is first looked up by its own key (an id, a lookup key, or metadata), so that a repeated run creates nothing twice.
import Stripe from 'stripe'
import { nullWhenMissing, stripeClient } from '../../worker/billing/billing.ts'
import { eventTypes } from '../../worker/billing/webhook.ts'
import { defaultProPrice } from '../../worker/contract/organizations/pro-price.ts'
import { webhookUrl } from '../../worker/setup/payments.ts'
import type { Settings } from '../lib/settings.ts'

type StripeSetup = {
  readonly secretKey: string
  /** Another address of Stripe, for tests. */
  readonly url: string | null
  readonly publicUrl: string
  /** True for a setting that exists already. */
  readonly has: (name: string) => boolean
  readonly log: (line: string) => void
}

/** Returns the settings that are new. */
export async function setUpStripe(setup: StripeSetup): Promise<Settings> {
  try {
    return await createMissing(setup)
  } catch (error) {
    if (error instanceof Stripe.errors.StripeAuthenticationError) throw new Error('Stripe rejects STRIPE_SECRET_KEY')
    throw error
  }
}

async function createMissing({ secretKey, url, publicUrl, has, log }: StripeSetup): Promise<Settings> {
  const stripe = stripeClient(secretKey, { url })
  const added: Settings = {}
  if (!has('PRO_MONTHLY_PRICE_ID')) added.PRO_MONTHLY_PRICE_ID = await ensurePrice(stripe, log)
  if (!has('STRIPE_PORTAL_ID')) Object.assign(added, await ensurePortal(stripe, publicUrl, log))
  // Last, because Stripe shows its secret only once: less can interrupt the command before the secret is stored.
  Object.assign(added, await ensureWebhook(stripe, publicUrl, has('STRIPE_WEBHOOK_SECRET'), log))
  return added
}

const productId = 'parley_pro'
const lookupKey = 'parley_pro_monthly'

async function ensurePrice(stripe: Stripe, log: StripeSetup['log']): Promise<string> {
  const { data } = await stripe.prices.list({ lookup_keys: [lookupKey], active: true, limit: 1 })
  if (data[0]) return data[0].id
  const found = await stripe.products.retrieve(productId).catch(nullWhenMissing)
  const product = found ?? (await stripe.products.create({ id: productId, name: 'Parley PRO' }))
  const { unitAmount: unit_amount, currency } = defaultProPrice
  const price = await stripe.prices.create({
    product: product.id,
    unit_amount,
    currency,
    recurring: { interval: 'month' },
    lookup_key: lookupKey,
  })
  log(`created the price ${price.id} at Stripe: ${unit_amount / 100} ${currency.toUpperCase()} a month`)
  return price.id
}

/** A portal that was saved in the dashboard is used without an id. */
async function ensurePortal(stripe: Stripe, publicUrl: string, log: StripeSetup['log']): Promise<Settings> {
  const { data } = await stripe.billingPortal.configurations.list({ active: true, limit: 100 })
  if (data.some(({ is_default }) => is_default)) return {}
  const found = data.find(({ metadata }) => metadata?.parley === publicUrl)
  if (found) return { STRIPE_PORTAL_ID: found.id }
  const { id } = await stripe.billingPortal.configurations.create({
    features: {
      invoice_history: { enabled: true },
      payment_method_update: { enabled: true },
      subscription_cancel: { enabled: true, mode: 'at_period_end' },
    },
    metadata: { parley: publicUrl },
  })
  log(`created the customer portal ${id} at Stripe`)
  return { STRIPE_PORTAL_ID: id }
}

/** `hasSecret`: the signing secret of the endpoint is known. Stripe shows it only in the response that creates the endpoint. */
async function ensureWebhook(stripe: Stripe, publicUrl: string, hasSecret: boolean, log: StripeSetup['log']): Promise<Settings> {
  const url = webhookUrl(publicUrl)
  const { data } = await stripe.webhookEndpoints.list({ limit: 100 })
  const found = data.find((endpoint) => endpoint.url === url)
  if (found && hasSecret) {
    await stripe.webhookEndpoints.update(found.id, { enabled_events: [...eventTypes] })
    return {}
  }
  if (found && found.metadata.parley === undefined)
    throw new Error(`Stripe already has a webhook endpoint for ${url}. Add its signing secret to .prod.vars as STRIPE_WEBHOOK_SECRET`)
  // Created by a run that was interrupted before it could store the secret.
  if (found) await stripe.webhookEndpoints.del(found.id)
  const { secret = '' } = await stripe.webhookEndpoints.create({ url, enabled_events: [...eventTypes], metadata: { parley: publicUrl } })
  log(`created the webhook endpoint ${url} at Stripe`)
  return { STRIPE_WEBHOOK_SECRET: secret }
}

/** /api/simulation: the pages of the simulated payment provider. They respond only in development without Stripe's key. */
import { Hono } from 'hono'
import { type AppContext, type AppEnv, refuseWith } from '../../api/http.ts'
import { smallBody } from '../../api/middleware.ts'
import { type Billing, billingFor } from '../../billing/billing.ts'
import { receiveWebhook, signEvent } from '../../billing/webhook.ts'
import { escapeHtml } from '../../lib/escape-html.ts'
import { plainPage } from '../../page/plain-page.ts'
import { type Act, acts, type PaymentProvider, type SimEvent } from './payment-provider.ts'
import { simulatedProvider } from './simulation.ts'

/** Relative to `simulationPath`. */
export const simulationRoutes = new Hono<AppEnv>()
  .get('/checkout/:id', showSimulatedCheckout)
  .post('/checkout/:id', paySimulatedCheckout)
  .get('/portal/:id', showSimulatedPortal)
  .post('/portal/:id', smallBody, actAtSimulatedPortal)

type Scene = { readonly billing: Billing; readonly provider: PaymentProvider }

function sceneOf(c: AppContext): Scene | null {
  const billing = billingFor(c.env, c.var.settings)
  return billing?.isStandIn ? { billing, provider: simulatedProvider(billing.db, billing.clock) } : null
}

async function showSimulatedCheckout(c: AppContext): Promise<Response> {
  const session = await sceneOf(c)?.provider.find('checkout.session', c.req.param('id') ?? '')
  return session ? simulatedCheckout(session) : refuseWith(c, 'not_found')
}

async function paySimulatedCheckout(c: AppContext): Promise<Response> {
  const scene = sceneOf(c)
  const session = await scene?.provider.find('checkout.session', c.req.param('id') ?? '')
  if (!scene || !session) return refuseWith(c, 'not_found')
  await scene.provider.complete(session)
  await deliver(scene.billing, scene.provider.takeEvents())
  return c.redirect(session.success_url, 303)
}

async function showSimulatedPortal(c: AppContext): Promise<Response> {
  const portal = await portalOf(c)
  return portal ? simulatedPortal(portal.returnUrl, portal.subscription) : refuseWith(c, 'not_found')
}

async function actAtSimulatedPortal(c: AppContext): Promise<Response> {
  const portal = await portalOf(c)
  if (!portal?.subscription) return refuseWith(c, 'not_found')
  // A body that is not a form has no fields.
  const act = (await c.req.parseBody().catch(() => null))?.act
  if (!isAct(act)) return refuseWith(c, 'not_found')
  await portal.scene.provider.act(portal.subscription, act)
  await deliver(portal.scene.billing, portal.scene.provider.takeEvents())
  return c.redirect(c.req.path, 303)
}

const isAct = (value: unknown): value is Act => acts.some((act) => act === value)

async function portalOf(c: AppContext) {
  const scene = sceneOf(c)
  const portal = await scene?.provider.find('billing_portal.session', c.req.param('id') ?? '')
  if (!scene || !portal) return null
  const [newest] = await scene.provider.store.list('subscription', portal.customer)
  return { scene, returnUrl: portal.return_url, subscription: newest?.object === 'subscription' ? newest : null }
}

/** Delivers events of the simulation to the webhook handler, signed like Stripe's. */
async function deliver(billing: Billing, events: readonly SimEvent[]): Promise<void> {
  for (const event of events) {
    const payload = JSON.stringify(event)
    await receiveWebhook(billing, payload, await signEvent(billing, payload))
  }
}

/** The pages of the simulated payment provider: checkout and portal. Each states that nothing is charged. */
const notice =
  '<p class="notice"><strong>Simulation.</strong> This development has no Stripe key. Nothing is charged, and no card is asked for.</p>'

type Checkout = { readonly status: string; readonly quantity: number; readonly cancel_url: string; readonly success_url: string }

function simulatedCheckout({ status, quantity, cancel_url, success_url }: Checkout): Response {
  const offer = `<ul><li>PRO, each month${quantity > 1 ? `, for ${quantity} members` : ''}</li><li>$${25 * quantity}.00</li></ul>`
  if (status !== 'open') {
    return plainPage(200, 'Already paid', `${notice}${offer}<p><a class="button" href="${escapeHtml(success_url)}">Continue</a></p>`)
  }
  return plainPage(
    200,
    'Simulated checkout',
    `${notice}${offer}
<form method="post"><button class="primary">Subscribe</button></form>
<p><a href="${escapeHtml(cancel_url)}">Go back without paying</a></p>`,
  )
}

type Subscription = {
  readonly status: string
  readonly cancel_at_period_end: boolean
  readonly pause_collection: object | null
  readonly items: { readonly data: readonly [{ readonly quantity: number; readonly current_period_end: number }] }
}

const labels = {
  cancel: 'Cancel at the end of the period',
  resume: 'Resume',
  renew: 'Let the month pass',
  decline: 'Let the month pass, with the card refused',
  pay: 'Pay what is due',
  'give-up': 'Give up collecting',
  pause: 'Pause collecting',
  unpause: 'Collect again',
  'end-now': 'End now',
  refund: 'Refund the last payment',
  dispute: 'Dispute the last payment',
} as const

function simulatedPortal(returnUrl: string, subscription: Subscription | null): Response {
  const back = `<p><a class="button" href="${escapeHtml(returnUrl)}">Back to the product</a></p>`
  if (!subscription) return plainPage(200, 'Simulated portal', `${notice}<p>There is no subscription.</p>${back}`)
  const [{ quantity, current_period_end }] = subscription.items.data
  const until = new Date(current_period_end * 1000).toLocaleDateString('en', { dateStyle: 'long', timeZone: 'UTC' })
  const button = (act: keyof typeof labels) => `<form method="post"><button name="act" value="${act}">${labels[act]}</button></form>`
  return plainPage(
    200,
    'Simulated portal',
    `${notice}
<ul>
<li>Status: ${escapeHtml(subscription.status)}${subscription.cancel_at_period_end ? ', ends with the period' : ''}${subscription.pause_collection ? ', paused' : ''}</li>
<li>Seats: ${quantity}</li>
<li>Current period until ${until}</li>
</ul>
<div class="acts">${actsFor(subscription).map(button).join('')}</div>
<p></p>${back}`,
  )
}

function actsFor({ status, cancel_at_period_end, pause_collection }: Subscription): readonly (keyof typeof labels)[] {
  if (status === 'past_due') return ['pay', 'give-up', 'end-now']
  if (status !== 'active') return ['refund', 'dispute']
  return [
    cancel_at_period_end ? 'resume' : 'cancel',
    ...(['renew', 'decline', pause_collection ? 'unpause' : 'pause', 'end-now', 'refund', 'dispute'] as const),
  ]
}

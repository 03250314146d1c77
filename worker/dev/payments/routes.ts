/** /api/simulation: the pages of the simulated payment provider. They respond only in development without Stripe's key. */
import { Hono } from 'hono'
import { type AppContext, type AppEnv, refuseWith } from '../../api/http.ts'
import { smallBody } from '../../api/middleware.ts'
import { type Billing, billingFor } from '../../billing/billing.ts'
import { receiveWebhook, signEvent } from '../../billing/webhook.ts'
import { simulatedCheckout, simulatedPortal } from './pages.ts'
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

export async function deliver(billing: Billing, events: readonly SimEvent[]): Promise<void> {
  for (const event of events) {
    const payload = JSON.stringify(event)
    await receiveWebhook(billing, payload, await signEvent(billing, payload))
  }
}

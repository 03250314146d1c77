/** /api/simulation: the pages of the simulated payment company. They exist in a development without Stripe's key, and nowhere else. */
import { type Billing, billingFor } from '../billing/billing.ts'
import { type Act, acts, type Company } from '../billing/stand-in/company.ts'
import { deliver } from '../billing/stand-in/deliver.ts'
import { standInCompany } from '../billing/stand-in/stand-in.ts'
import { simulatedCheckout, simulatedPortal } from '../page/simulation-page.ts'
import { type AppContext, refuseWith } from './http.ts'

type Scene = { readonly billing: Billing; readonly company: Company }

function sceneOf(c: AppContext): Scene | null {
  const billing = billingFor(c.env, c.var.settings)
  return billing?.isStandIn ? { billing, company: standInCompany(billing.db, billing.clock) } : null
}

export async function showSimulatedCheckout(c: AppContext): Promise<Response> {
  const session = await sceneOf(c)?.company.find('checkout.session', c.req.param('id') ?? '')
  return session ? simulatedCheckout(session) : refuseWith(c, 'not_found')
}

export async function paySimulatedCheckout(c: AppContext): Promise<Response> {
  const scene = sceneOf(c)
  const session = await scene?.company.find('checkout.session', c.req.param('id') ?? '')
  if (!scene || !session) return refuseWith(c, 'not_found')
  await scene.company.complete(session)
  await deliver(scene.billing, scene.company.takeEvents())
  return c.redirect(session.success_url, 303)
}

export async function showSimulatedPortal(c: AppContext): Promise<Response> {
  const portal = await portalOf(c)
  return portal ? simulatedPortal(portal.returnUrl, portal.subscription) : refuseWith(c, 'not_found')
}

export async function actAtSimulatedPortal(c: AppContext): Promise<Response> {
  const portal = await portalOf(c)
  if (!portal?.subscription) return refuseWith(c, 'not_found')
  // What is no form has no field.
  const act = (await c.req.parseBody().catch(() => null))?.act
  if (!isAct(act)) return refuseWith(c, 'not_found')
  await portal.scene.company.act(portal.subscription, act)
  await deliver(portal.scene.billing, portal.scene.company.takeEvents())
  return c.redirect(c.req.path, 303)
}

const isAct = (value: unknown): value is Act => acts.some((act) => act === value)

async function portalOf(c: AppContext) {
  const scene = sceneOf(c)
  const portal = await scene?.company.find('billing_portal.session', c.req.param('id') ?? '')
  if (!scene || !portal) return null
  const [newest] = await scene.company.store.list('subscription', portal.customer)
  return { scene, returnUrl: portal.return_url, subscription: newest?.object === 'subscription' ? newest : null }
}

/** HTTP interface of the Stripe simulation: the API calls that this product makes. */

import {
  groupAt,
  type Params,
  type PaymentProvider,
  parseParams,
  type SimObject,
  type SimSession,
  type SimSubscription,
  textAt,
  textsOf,
} from './payment-provider.ts'

type Api = (request: Request) => Promise<Response>

type Call = { readonly provider: PaymentProvider; readonly pages: string; readonly params: Params; readonly id: string }
type Route = readonly [method: string, path: RegExp, answer: (call: Call) => Promise<unknown>]

class ApiError extends Error {
  override name = 'ApiError'
  readonly status: number
  readonly code: string
  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

/** `pages`: path prefix of the simulated checkout and portal pages. */
export function createApi(provider: PaymentProvider, pages: string): Api {
  return async (request) => {
    const { pathname, search } = new URL(request.url)
    const params = parseParams(request.method === 'GET' ? search.slice(1) : await request.text())
    const key = request.headers.get('idempotency-key')
    try {
      return Response.json(await replayOrRun(provider, key, () => answer(provider, pages, request.method, pathname, params)))
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      const { status, code, message } = error
      return Response.json({ error: { type: 'invalid_request_error', code, message } }, { status })
    }
  }
}

/** Replays the stored response for a repeated idempotency key. */
async function replayOrRun(provider: PaymentProvider, key: string | null, run: () => Promise<unknown>): Promise<unknown> {
  if (key === null) return run()
  const stored = await provider.find('answer', `key_${key}`)
  if (stored) return stored.body
  const body = await run()
  await provider.store.put({ id: `key_${key}`, object: 'answer', created: provider.nowS(), body })
  return body
}

async function answer(provider: PaymentProvider, pages: string, method: string, path: string, params: Params): Promise<unknown> {
  for (const [of, pattern, run] of routes) {
    const match = of === method ? pattern.exec(path) : null
    if (match) return run({ provider, pages, params, id: match[1] ?? '' })
  }
  throw new ApiError(404, 'unknown_path', `the simulation has no ${method} ${path}`)
}

const missing = (what: string, id: string) => new ApiError(404, 'resource_missing', `No such ${what}: '${id}'`)
const list = (data: readonly unknown[]) => ({ object: 'list', data, has_more: false, url: '/v1' })

async function found<K extends SimObject['object']>({ provider }: Call, kind: K, id: string) {
  const object = await provider.find(kind, id)
  if (!object) throw missing(kind, id)
  return object
}

async function ofCustomer<K extends SimObject['object']>(call: Call, kind: K) {
  return (await call.provider.store.list(kind, textAt(call.params, 'customer') ?? undefined)) as Extract<SimObject, { object: K }>[]
}

const routes: readonly Route[] = [
  [
    'POST',
    /^\/v1\/customers$/,
    ({ provider, params }) => provider.addCustomer(textAt(params, 'name'), textAt(params, 'email'), textsOf(groupAt(params, 'metadata'))),
  ],
  ['GET', /^\/v1\/customers\/search$/, searchCustomers],
  ['GET', /^\/v1\/customers\/(\w+)$/, (call) => found(call, 'customer', call.id)],
  ['DELETE', /^\/v1\/customers\/(\w+)$/, deleteCustomer],
  ['GET', /^\/v1\/prices\/(\w+)$/, async ({ provider: { price }, id }) => (id === price.id ? price : Promise.reject(missing('price', id)))],
  ['GET', /^\/v1\/checkout\/sessions$/, listSessions],
  ['POST', /^\/v1\/checkout\/sessions$/, createSession],
  ['GET', /^\/v1\/checkout\/sessions\/(\w+)$/, (call) => found(call, 'checkout.session', call.id)],
  ['POST', /^\/v1\/checkout\/sessions\/(\w+)$/, updateSession],
  ['GET', /^\/v1\/subscriptions$/, listSubscriptions],
  ['POST', /^\/v1\/subscriptions\/(\w+)$/, updateSubscription],
  ['POST', /^\/v1\/billing_portal\/sessions$/, createPortal],
  ['GET', /^\/v1\/invoice_payments$/, listPayments],
  ['GET', /^\/v1\/charges\/(\w+)$/, (call) => found(call, 'charge', call.id)],
  [
    'GET',
    /^\/v1\/disputes$/,
    async (call) => list((await ofCustomer(call, 'dispute')).filter(({ charge }) => charge === textAt(call.params, 'charge'))),
  ],
  ['GET', /^\/v1\/webhook_endpoints$/, async () => list([])],
]

async function searchCustomers(call: Call) {
  const [, name = '', value] = /^metadata\['(\w+)'\]:'([^']+)'$/.exec(textAt(call.params, 'query') ?? '') ?? []
  const customers = await ofCustomer(call, 'customer')
  return { ...list(customers.filter(({ metadata, deleted }) => !deleted && metadata[name] === value)), object: 'search_result' }
}

async function deleteCustomer(call: Call) {
  await call.provider.deleteCustomer(await found(call, 'customer', call.id))
  return { id: call.id, object: 'customer', deleted: true }
}

async function listSessions(call: Call) {
  const status = textAt(call.params, 'status')
  return list((await ofCustomer(call, 'checkout.session')).filter((session) => status === null || session.status === status))
}

async function createSession(call: Call) {
  const { provider, pages, params } = call
  const customer = await found(call, 'customer', textAt(params, 'customer') ?? '')
  if (customer.deleted) throw missing('customer', customer.id)
  const line = groupAt(groupAt(params, 'line_items'), '0')
  if (textAt(line, 'price') !== provider.price.id) throw missing('price', textAt(line, 'price') ?? '')
  const id = provider.id('cs')
  const session: SimSession = {
    id,
    object: 'checkout.session',
    created: provider.nowS(),
    customer: customer.id,
    success_url: (textAt(params, 'success_url') ?? '').replace('{CHECKOUT_SESSION_ID}', id),
    cancel_url: textAt(params, 'cancel_url') ?? '',
    quantity: Number(textAt(line, 'quantity') ?? 1),
    url: `${pages}/checkout/${id}`,
    subscription_metadata: textsOf(groupAt(groupAt(params, 'subscription_data'), 'metadata')),
    metadata: textsOf(groupAt(params, 'metadata')),
    status: 'open',
    payment_status: 'unpaid',
    subscription: null,
  }
  await provider.store.put(session)
  return session
}

async function updateSession(call: Call) {
  const session = await found(call, 'checkout.session', call.id)
  session.metadata = { ...session.metadata, ...textsOf(groupAt(call.params, 'metadata')) }
  await call.provider.store.put(session)
  return session
}

async function listSubscriptions(call: Call) {
  const subscriptions = await ofCustomer(call, 'subscription')
  return list(await Promise.all(subscriptions.map((subscription) => withInvoice(call.provider, subscription))))
}

const withInvoice = async (provider: PaymentProvider, subscription: SimSubscription) => ({
  ...subscription,
  latest_invoice: await provider.find('invoice', subscription.latest_invoice),
})

async function updateSubscription(call: Call) {
  const subscription = await found(call, 'subscription', call.id)
  const quantity = textAt(groupAt(groupAt(call.params, 'items'), '0'), 'quantity')
  if (quantity !== null) await call.provider.setQuantity(subscription, Number(quantity))
  return subscription
}

async function createPortal({ provider, pages, params }: Call) {
  const [id, customer] = [provider.id('bps'), textAt(params, 'customer') ?? '']
  const session = {
    id,
    object: 'billing_portal.session' as const,
    created: provider.nowS(),
    customer,
    return_url: textAt(params, 'return_url') ?? '',
    url: `${pages}/portal/${id}`,
  }
  await provider.store.put(session)
  return session
}

async function listPayments({ provider, params }: Call) {
  const invoice = await provider.find('invoice', textAt(params, 'invoice') ?? '')
  const charge = invoice?.charge_id ? await provider.find('charge', invoice.charge_id) : null
  if (!invoice || !charge) return list([])
  const payment_intent = { id: `pi_${charge.id}`, object: 'payment_intent', latest_charge: charge }
  const payment = { type: 'payment_intent', payment_intent }
  return list([{ id: `inpay_${invoice.id}`, object: 'invoice_payment', invoice: invoice.id, status: 'paid', payment }])
}

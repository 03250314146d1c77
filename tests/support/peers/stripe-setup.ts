// The objects of a Stripe account that `npm run deploy -- enable payments` creates, and the requests for them.
import { groupAt, type Params, parseParams, textAt, textsOf } from '../../../worker/dev/payments/payment-provider.ts'

type Stored = { readonly id: string; readonly [field: string]: unknown }

export type StripeSetupState = {
  readonly products: Stored[]
  readonly prices: Stored[]
  readonly webhooks: Stored[]
  readonly portals: Stored[]
}

type Call = { readonly params: Params; readonly id: string }
type Route = readonly [method: string, path: RegExp, answer: (call: Call) => unknown]

const list = (data: readonly unknown[]) => ({ object: 'list', data, has_more: false, url: '/v1' })
const missing = { error: { type: 'invalid_request_error', code: 'resource_missing', message: 'No such object' } }

/** Null for a request that is not about these objects. */
export function createStripeSetup() {
  const state: StripeSetupState = { products: [], prices: [], webhooks: [], portals: [] }
  const { products, prices, webhooks, portals } = state
  const replays = new Map<string, unknown>()
  let made = 0
  const add = (objects: Stored[], object: Stored) => {
    if (objects.some(({ id }) => id === object.id)) throw new Error(`${object.id} exists already`)
    objects.push(object)
    return object
  }
  const fields = (params: Params) => ({ metadata: textsOf(groupAt(params, 'metadata')) })
  const events = (params: Params) => ({ enabled_events: Object.values(textsOf(groupAt(params, 'enabled_events'))) })
  const without = ({ secret: _secret, ...shown }: Stored) => shown
  const update = (objects: Stored[], id: string, changes: object) => {
    const index = objects.findIndex((object) => object.id === id)
    objects[index] = { ...(objects[index] as Stored), ...changes }
    return without(objects[index])
  }
  const routes: readonly Route[] = [
    ['GET', /^\/v1\/products\/(\w+)$/, ({ id }) => products.find((product) => product.id === id) ?? missing],
    [
      'POST',
      /^\/v1\/products$/,
      ({ params }) => add(products, { object: 'product', id: textAt(params, 'id') ?? '', name: textAt(params, 'name') }),
    ],
    [
      'GET',
      /^\/v1\/prices$/,
      ({ params }) => list(prices.filter(({ lookup_key }) => Object.values(groupAt(params, 'lookup_keys')).includes(String(lookup_key)))),
    ],
    [
      'POST',
      /^\/v1\/prices$/,
      ({ params }) =>
        add(prices, {
          object: 'price',
          id: `price_made_${++made}`,
          active: true,
          lookup_key: textAt(params, 'lookup_key'),
          unit_amount: Number(textAt(params, 'unit_amount')),
          currency: textAt(params, 'currency'),
          recurring: { interval: textAt(groupAt(params, 'recurring'), 'interval'), interval_count: 1 },
        }),
    ],
    ['GET', /^\/v1\/prices\/(price_made_\d+)$/, ({ id }) => prices.find((price) => price.id === id) ?? missing],
    ['GET', /^\/v1\/webhook_endpoints$/, () => list(webhooks.map(without))],
    [
      'POST',
      /^\/v1\/webhook_endpoints$/,
      ({ params }) => {
        const id = `we_${++made}`
        const url = textAt(params, 'url')
        return add(webhooks, {
          object: 'webhook_endpoint',
          id,
          url,
          status: 'enabled',
          secret: `whsec_${id}`,
          ...fields(params),
          ...events(params),
        })
      },
    ],
    ['POST', /^\/v1\/webhook_endpoints\/(\w+)$/, ({ id, params }) => update(webhooks, id, events(params))],
    [
      'DELETE',
      /^\/v1\/webhook_endpoints\/(\w+)$/,
      ({ id }) => {
        webhooks.splice(
          webhooks.findIndex((endpoint) => endpoint.id === id),
          1,
        )
        return { id, object: 'webhook_endpoint', deleted: true }
      },
    ],
    ['GET', /^\/v1\/billing_portal\/configurations$/, () => list(portals)],
    [
      'POST',
      /^\/v1\/billing_portal\/configurations$/,
      ({ params }) =>
        add(portals, { object: 'billing_portal.configuration', id: `bpc_${++made}`, active: true, is_default: false, ...fields(params) }),
    ],
  ]

  /** The response, or null for a request that is not about these objects. */
  async function answer(request: Request): Promise<Response | null> {
    const { pathname, search } = new URL(request.url)
    const route = routes.find(([method, path]) => method === request.method && path.test(pathname))
    if (!route) return null
    const key = request.headers.get('idempotency-key') ?? crypto.randomUUID()
    const params = parseParams(request.method === 'GET' ? search.slice(1) : await request.text())
    const result = replays.get(key) ?? route[2]({ params, id: route[1].exec(pathname)?.[1] ?? '' })
    replays.set(key, result)
    return Response.json(result, { status: result === missing ? 404 : 200 })
  }

  return { state, answer }
}

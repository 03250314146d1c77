/**
 * Objects of the Stripe simulation, in Stripe's wire format, limited to the fields that this product reads. Development without keys runs
 * the simulation in the Worker; tests run it as an HTTP server. It shares no tables with the product.
 */
type Base<Kind extends string> = { readonly id: string; readonly object: Kind; readonly created: number }

type SimCustomer = Base<'customer'> & { name: string | null; email: string | null; metadata: Metadata; deleted?: true }
export type SimPrice = Base<'price'> & {
  readonly active: true
  readonly currency: 'usd'
  readonly unit_amount: number
  readonly type: 'recurring'
  readonly recurring: { readonly interval: 'month'; readonly interval_count: 1 }
}
export type SimSession = Base<'checkout.session'> & {
  readonly customer: string
  readonly success_url: string
  readonly cancel_url: string
  readonly quantity: number
  readonly url: string
  readonly subscription_metadata: Metadata
  metadata: Metadata
  status: 'open' | 'complete' | 'expired'
  payment_status: 'paid' | 'unpaid'
  subscription: string | null
}
export type SimSubscription = Base<'subscription'> & {
  readonly customer: string
  readonly metadata: Metadata
  readonly items: { readonly object: 'list'; readonly data: readonly [SimItem] }
  status: 'active' | 'past_due' | 'unpaid' | 'canceled' | 'paused'
  cancel_at_period_end: boolean
  cancel_at: number | null
  canceled_at: number | null
  ended_at: number | null
  pause_collection: { behavior: 'void'; resumes_at: null } | null
  latest_invoice: string
}
type SimItem = {
  readonly id: string
  readonly object: 'subscription_item'
  readonly price: SimPrice
  quantity: number
  current_period_start: number
  current_period_end: number
}
export type SimInvoice = Base<'invoice'> & {
  readonly customer: string
  readonly total: number
  status: 'open' | 'paid' | 'void' | 'uncollectible'
  /** Not part of Stripe's invoice. The API exposes it through invoice payments. */
  charge_id: string | null
}
export type SimCharge = Base<'charge'> & { readonly customer: string; readonly amount: number; refunded: boolean; disputed: boolean }
type SimDispute = Base<'dispute'> & { readonly charge: string; status: 'needs_response' | 'won' | 'lost' }
type SimPortal = Base<'billing_portal.session'> & { readonly customer: string; readonly return_url: string; readonly url: string }
/** Response stored under an idempotency key. */
type SimAnswer = Base<'answer'> & { readonly body: unknown }

export type SimObject = SimCustomer | SimSession | SimSubscription | SimInvoice | SimCharge | SimDispute | SimPortal | SimAnswer
export type Kind = SimObject['object']
export type OfKind<K extends Kind> = Extract<SimObject, { object: K }>
export type Metadata = { readonly [name: string]: string }

/** Stores objects by id. `list` returns the newest first. */
export type ObjectStore = {
  get(id: string): Promise<SimObject | null>
  put(object: SimObject): Promise<void>
  list(kind: Kind, customer?: string): Promise<SimObject[]>
}

export const customerOf = (object: SimObject): string | null => ('customer' in object ? object.customer : null)

export const proPrice: SimPrice = {
  id: 'price_pro_monthly',
  object: 'price',
  created: 1_760_000_000,
  active: true,
  currency: 'usd',
  unit_amount: 2500,
  type: 'recurring',
  recurring: { interval: 'month', interval_count: 1 },
}

/** Parses Stripe's request parameters: nested names such as `line_items[0][price]`, in a query or a form body. */
export type Params = { readonly [name: string]: string | Params | undefined }

export function parseParams(text: string): Params {
  const root: { [name: string]: unknown } = {}
  for (const [name, value] of new URLSearchParams(text)) {
    const path = name.replaceAll(']', '').split('[')
    let node = root
    for (const key of path.slice(0, -1)) {
      node[key] ??= {}
      node = node[key] as { [name: string]: unknown }
    }
    node[path.at(-1) ?? ''] = value
  }
  return root as Params
}

export const textAt = (params: Params, name: string): string | null => {
  const value = params[name]
  return typeof value === 'string' && value !== '' ? value : null
}

export const groupAt = (params: Params, name: string): Params => {
  const value = params[name]
  return typeof value === 'object' ? value : {}
}

/** The string values of a group, by name. */
export const textsOf = (params: Params): { [name: string]: string } =>
  Object.fromEntries(Object.entries(params).filter((entry): entry is [string, string] => typeof entry[1] === 'string'))

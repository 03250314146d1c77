/** State changes of the Stripe simulation. Each action changes the objects and queues the events that Stripe would send. */
import type { Clock } from '../../lib/clock.ts'

const monthS = 30 * 24 * 60 * 60

export type SimEvent = {
  readonly id: string
  readonly object: 'event'
  readonly type: string
  readonly created: number
  readonly livemode: false
  readonly data: { readonly object: unknown }
}

/** Actions of the buttons on the simulated portal page. */
export const acts = [
  'cancel',
  'resume',
  'renew',
  'decline',
  'pay',
  'give-up',
  'pause',
  'unpause',
  'end-now',
  'refund',
  'dispute',
  'win',
] as const
export type Act = (typeof acts)[number]

export class PaymentProvider {
  readonly store: ObjectStore
  /** The price of the PRO plan; tests change it. */
  price: SimPrice = proPrice
  readonly #clock: Clock
  readonly #events: SimEvent[] = []

  constructor(store: ObjectStore, clock: Clock) {
    this.store = store
    this.#clock = clock
  }

  /** Removes and returns the events since the last call, oldest first. */
  takeEvents(): SimEvent[] {
    return this.#events.splice(0)
  }

  id = (prefix: string): string => `${prefix}_${crypto.randomUUID().replaceAll('-', '').slice(0, 24)}`
  nowS = (): number => Math.floor(this.#clock() / 1000)

  async find<K extends Kind>(kind: K, id: string): Promise<OfKind<K> | null> {
    const object = await this.store.get(id)
    // The comparison checks the kind; TypeScript cannot narrow the generic.
    return object?.object === kind ? (object as OfKind<K>) : null
  }

  /** Completes a checkout and creates the subscription. Null if the checkout is not open. */
  async complete(session: SimSession): Promise<SimSubscription | null> {
    if (session.status !== 'open') return null
    const nowS = this.nowS()
    const invoice = await this.#invoice(session.customer, session.quantity, true)
    const subscription: SimSubscription = {
      id: this.id('sub'),
      object: 'subscription',
      created: nowS,
      customer: session.customer,
      metadata: session.subscription_metadata,
      status: 'active',
      cancel_at_period_end: false,
      cancel_at: null,
      canceled_at: null,
      ended_at: null,
      pause_collection: null,
      latest_invoice: invoice.id,
      items: {
        object: 'list',
        data: [
          {
            id: this.id('si'),
            object: 'subscription_item',
            price: this.price,
            quantity: session.quantity,
            current_period_start: nowS,
            current_period_end: nowS + monthS,
          },
        ],
      },
    }
    await this.#save('customer.subscription.created', subscription)
    this.#emit('invoice.paid', invoice)
    Object.assign(session, { status: 'complete', payment_status: 'paid', subscription: subscription.id })
    await this.#save('checkout.session.completed', session)
    return subscription
  }

  async act(subscription: SimSubscription, act: Act): Promise<void> {
    const nowS = this.nowS()
    switch (act) {
      case 'cancel':
      case 'resume':
        return this.change(subscription, { cancel_at_period_end: act === 'cancel', canceled_at: act === 'cancel' ? nowS : null })
      case 'renew':
      case 'decline':
        if (!subscription.cancel_at_period_end) return this.#passPeriod(subscription, act === 'renew')
        subscription.items.data[0].current_period_end = nowS
        return this.#end(subscription)
      case 'pay':
        return this.#payLatest(subscription)
      case 'give-up':
      case 'end-now':
        return this.#end(subscription)
      case 'pause':
        return this.change(subscription, { pause_collection: { behavior: 'void', resumes_at: null } })
      case 'unpause':
        return this.change(subscription, { pause_collection: null })
      case 'refund':
        return this.#withCharge(subscription, async (charge) => this.#save('charge.refunded', { ...charge, refunded: true }))
      case 'dispute':
        return this.#withCharge(subscription, async (charge) => {
          await this.store.put({ ...charge, disputed: true })
          const dispute = {
            id: this.id('dp'),
            object: 'dispute' as const,
            created: nowS,
            charge: charge.id,
            status: 'needs_response' as const,
          }
          await this.#save('charge.dispute.created', dispute)
        })
      case 'win':
        for (const dispute of await this.store.list('dispute')) {
          if (dispute.object === 'dispute') await this.#save('charge.dispute.closed', { ...dispute, status: 'won' })
        }
    }
  }

  async change(subscription: SimSubscription, changes: Partial<SimSubscription>): Promise<void> {
    await this.#save('customer.subscription.updated', Object.assign(subscription, changes))
  }

  async setQuantity(subscription: SimSubscription, quantity: number): Promise<void> {
    subscription.items.data[0].quantity = quantity
    await this.#save('customer.subscription.updated', subscription)
  }

  async addCustomer(name: string | null, email: string | null, metadata: Metadata): Promise<OfKind<'customer'>> {
    const customer = { id: this.id('cus'), object: 'customer' as const, created: this.nowS(), name, email, metadata }
    await this.store.put(customer)
    return customer
  }

  /** Deletes the customer and cancels its subscriptions, as Stripe does. */
  async deleteCustomer(customer: OfKind<'customer'>): Promise<void> {
    for (const subscription of await this.store.list('subscription', customer.id)) {
      if (subscription.object === 'subscription' && subscription.status !== 'canceled') await this.#end(subscription)
    }
    await this.#save('customer.deleted', { ...customer, deleted: true })
  }

  async #passPeriod(subscription: SimSubscription, isPaid: boolean): Promise<void> {
    const [item] = subscription.items.data
    const nowS = this.nowS()
    const isPaused = subscription.pause_collection !== null
    const invoice = await this.#invoice(subscription.customer, item.quantity, isPaid && !isPaused)
    if (isPaused) await this.store.put(Object.assign(invoice, { status: 'void' }))
    Object.assign(item, { current_period_start: nowS, current_period_end: nowS + monthS })
    await this.change(subscription, { status: isPaid || isPaused ? 'active' : 'past_due', latest_invoice: invoice.id })
    this.#emit(isPaused ? 'invoice.voided' : isPaid ? 'invoice.paid' : 'invoice.payment_failed', invoice)
  }

  async #payLatest(subscription: SimSubscription): Promise<void> {
    const invoice = await this.find('invoice', subscription.latest_invoice)
    if (invoice?.status !== 'open') return
    await this.#save('invoice.paid', Object.assign(invoice, { status: 'paid', charge_id: (await this.#charge(invoice)).id }))
    await this.change(subscription, { status: 'active' })
  }

  async #end(subscription: SimSubscription): Promise<void> {
    const nowS = this.nowS()
    await this.#save(
      'customer.subscription.deleted',
      Object.assign(subscription, { status: 'canceled', canceled_at: nowS, ended_at: nowS }),
    )
  }

  async #invoice(customer: string, quantity: number, isPaid: boolean): Promise<SimInvoice> {
    const invoice: SimInvoice = {
      id: this.id('in'),
      object: 'invoice',
      created: this.nowS(),
      customer,
      total: this.price.unit_amount * quantity,
      status: isPaid ? 'paid' : 'open',
      charge_id: null,
    }
    if (isPaid) invoice.charge_id = (await this.#charge(invoice)).id
    await this.store.put(invoice)
    return invoice
  }

  async #charge({ customer, total, created }: SimInvoice): Promise<SimCharge> {
    const charge: SimCharge = { id: this.id('ch'), object: 'charge', created, customer, amount: total, refunded: false, disputed: false }
    await this.store.put(charge)
    return charge
  }

  async #withCharge({ latest_invoice }: SimSubscription, run: (charge: SimCharge) => Promise<void>): Promise<void> {
    const invoice = await this.find('invoice', latest_invoice)
    const charge = invoice?.charge_id ? await this.find('charge', invoice.charge_id) : null
    if (charge) await run(charge)
  }

  async #save(type: string, object: SimObject): Promise<void> {
    await this.store.put(object)
    this.#emit(type, object)
  }

  #emit(type: string, object: SimObject): void {
    const data = { object: structuredClone(object) }
    this.#events.push({ id: this.id('evt'), object: 'event', type, created: this.nowS(), livemode: false, data })
  }
}

/**
 * Objects of the Stripe simulation, in Stripe's wire format, limited to the fields that this product reads. Development without keys runs
 * the simulation in the Worker; tests run it as an HTTP server. It shares no tables with the product.
 */
type Base<Kind extends string> = { readonly id: string; readonly object: Kind; readonly created: number }

type SimCustomer = Base<'customer'> & { name: string | null; email: string | null; metadata: Metadata; deleted?: true }
type SimPrice = Base<'price'> & {
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
type SimInvoice = Base<'invoice'> & {
  readonly customer: string
  readonly total: number
  status: 'open' | 'paid' | 'void' | 'uncollectible'
  /** Not part of Stripe's invoice. The API exposes it through invoice payments. */
  charge_id: string | null
}
type SimCharge = Base<'charge'> & { readonly customer: string; readonly amount: number; refunded: boolean; disputed: boolean }
type SimDispute = Base<'dispute'> & { readonly charge: string; status: 'needs_response' | 'won' | 'lost' }
type SimPortal = Base<'billing_portal.session'> & { readonly customer: string; readonly return_url: string; readonly url: string }
/** Response stored under an idempotency key. */
type SimAnswer = Base<'answer'> & { readonly body: unknown }

export type SimObject = SimCustomer | SimSession | SimSubscription | SimInvoice | SimCharge | SimDispute | SimPortal | SimAnswer
type Kind = SimObject['object']
type OfKind<K extends Kind> = Extract<SimObject, { object: K }>
type Metadata = { readonly [name: string]: string }

/** Stores objects by id. `list` returns the newest first. */
export type ObjectStore = {
  get(id: string): Promise<SimObject | null>
  put(object: SimObject): Promise<void>
  list(kind: Kind, customer?: string): Promise<SimObject[]>
}

export const customerOf = (object: SimObject): string | null => ('customer' in object ? object.customer : null)

const proPrice: SimPrice = {
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

/** The simulated payment provider of development. Its objects are in D1, and Stripe's SDK reaches it without a socket. */
import { listPaymentObjects, readPaymentObject, writePaymentObject } from '../../db/payment-objects.ts'
import { type Clock, systemClock } from '../../lib/clock.ts'
import { createApi } from './api.ts'
import { customerOf, type ObjectStore, PaymentProvider, type SimObject } from './payment-provider.ts'

export const simulationPath = '/api/simulation'

export const simulatedProvider = (db: D1Database, clock: Clock): PaymentProvider => new PaymentProvider(storeIn(db, clock), clock)

/** Replaces `fetch` in Stripe's SDK. Page addresses are paths, so that the browser stays on its origin. */
export function paymentFetch(db: D1Database): typeof globalThis.fetch {
  const api = createApi(simulatedProvider(db, systemClock), simulationPath)
  return (input, init) => api(new Request(input, init))
}

const storeIn = (db: D1Database, clock: Clock): ObjectStore => ({
  get: async (id) => parsed(await readPaymentObject(db, id)),
  put: (object) =>
    writePaymentObject(db, { id: object.id, kind: object.object, customer: customerOf(object), body: JSON.stringify(object) }, clock()),
  list: async (kind, customer) => (await listPaymentObjects(db, kind, customer ?? null)).flatMap((text) => parsed(text) ?? []),
})

/** Only `put` writes this table. */
const parsed = (text: string | null): SimObject | null => (text === null ? null : (JSON.parse(text) as SimObject))

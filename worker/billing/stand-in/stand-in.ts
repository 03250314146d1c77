/** The simulated company of a development: kept in D1, reached by the SDK without a socket, with pages of its own below /api/simulation. */
import { listPaymentObjects, readPaymentObject, writePaymentObject } from '../../db/payment-objects.ts'
import type { Clock } from '../../lib/clock.ts'
import { createApi } from './api.ts'
import { Company } from './company.ts'
import { customerOf, type ObjectStore, type SimObject } from './objects.ts'

export const standInPath = '/api/simulation'

export const standInCompany = (db: D1Database, clock: Clock): Company => new Company(storeIn(db, clock), clock)

/** For Stripe's SDK in the place of `fetch`. Addresses of pages are paths: a browser comes from the origin that it came from. */
export function standInFetch(db: D1Database, clock: Clock): typeof globalThis.fetch {
  const api = createApi(standInCompany(db, clock), standInPath)
  return (input, init) => api(new Request(input, init))
}

const storeIn = (db: D1Database, clock: Clock): ObjectStore => ({
  get: async (id) => parsed(await readPaymentObject(db, id)),
  put: (object) =>
    writePaymentObject(db, { id: object.id, kind: object.object, customer: customerOf(object), body: JSON.stringify(object) }, clock()),
  list: async (kind, customer) => (await listPaymentObjects(db, kind, customer ?? null)).flatMap((text) => parsed(text) ?? []),
})

/** Nobody but `put` writes this table. */
const parsed = (text: string | null): SimObject | null => (text === null ? null : (JSON.parse(text) as SimObject))

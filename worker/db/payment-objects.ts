/** Table of the Stripe simulation in development: JSON by id, newest first. */
import { and, desc, eq, sql } from 'drizzle-orm'
import { orm } from './shards.ts'
import { paymentObject } from './tables/catalogue.ts'

type PaymentObject = Omit<typeof paymentObject.$inferSelect, 'createdAt'>

const shownObjects = 100

export async function readPaymentObject(db: D1Database, id: string): Promise<string | null> {
  const [object] = await orm(db).select({ body: paymentObject.body }).from(paymentObject).where(eq(paymentObject.id, id))
  return object?.body ?? null
}

export async function writePaymentObject(db: D1Database, object: PaymentObject, nowMs: number): Promise<void> {
  await orm(db)
    .insert(paymentObject)
    .values({ ...object, createdAt: nowMs })
    .onConflictDoUpdate({ target: paymentObject.id, set: { body: object.body } })
}

/** Null: all customers. */
export async function listPaymentObjects(db: D1Database, kind: string, customer: string | null): Promise<string[]> {
  const objects = await orm(db)
    .select({ body: paymentObject.body })
    .from(paymentObject)
    .where(and(eq(paymentObject.kind, kind), customer === null ? undefined : eq(paymentObject.customer, customer)))
    .orderBy(desc(paymentObject.createdAt), sql`rowid desc`)
    .limit(shownObjects)
  return objects.map(({ body }) => body)
}

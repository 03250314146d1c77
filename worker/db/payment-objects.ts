/** The table behind the simulated payment company of development: JSON by id, newest first. */
export type PaymentObject = { readonly id: string; readonly kind: string; readonly customer: string | null; readonly body: string }

export const readPaymentObject = (db: D1Database, id: string): Promise<string | null> =>
  db.prepare('select body from paymentObject where id = ?').bind(id).first<string>('body')

export async function writePaymentObject(db: D1Database, { id, kind, customer, body }: PaymentObject, nowMs: number): Promise<void> {
  await db
    .prepare(
      `insert into paymentObject (id, kind, customer, body, createdAt) values (?1, ?2, ?3, ?4, ?5)
         on conflict (id) do update set body = excluded.body`,
    )
    .bind(id, kind, customer, body, nowMs)
    .run()
}

export async function listPaymentObjects(db: D1Database, kind: string, customer: string | null): Promise<string[]> {
  const { results } = await db
    .prepare(
      'select body from paymentObject where kind = ?1 and (?2 is null or customer = ?2) order by createdAt desc, rowid desc limit 100',
    )
    .bind(kind, customer)
    .all<{ body: string }>()
  return results.map(({ body }) => body)
}

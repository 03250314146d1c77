/**
 * Who pays: the customers of people and of organizations, and the subscription we keep of each. A customer's id is the payment company's.
 * Subscriptions are written under a lease only, so that an older state never follows a newer one; unchanged ones are not written at all.
 */
import type { Subscription } from '../contract/subscription.ts'
import { isHeldSql, type Lease, releaseStatement } from './billing-lease.ts'

export type Owner = { readonly kind: 'user' | 'organization'; readonly id: string }
export type Customer = { readonly id: string; readonly subscription: Subscription | null }

const homes = {
  user: { table: 'userCustomer', column: 'userId', owners: 'user' },
  organization: { table: 'organizationCustomer', column: 'organizationId', owners: 'organization' },
} as const

type CustomerRow = { readonly id: string; readonly subscription: string | null }

export async function readCustomer(db: D1Database, { kind, id }: Owner): Promise<Customer | null> {
  const { table, column } = homes[kind]
  const row = await db.prepare(`select id, subscription from ${table} where ${column} = ?`).bind(id).first<CustomerRow>()
  return row && { id: row.id, subscription: subscriptionOf(row.subscription) }
}

/** Text that is no JSON counts as nothing; the next word from the payment company replaces it. */
function subscriptionOf(text: string | null): Subscription | null {
  try {
    return text === null ? null : (JSON.parse(text) as Subscription)
  } catch {
    // Somebody's SQL console wrote it.
    return null
  }
}

/** What gives a person PRO: their own, and those of the organizations they are in. */
export async function readSubscriptions(db: D1Database, userId: string): Promise<readonly Subscription[]> {
  const { results } = await db
    .prepare(
      `select subscription from userCustomer where userId = ?1
       union all select subscription from organizationCustomer
         where organizationId in (select organizationId from member where userId = ?1)`,
    )
    .bind(userId)
    .all<{ subscription: string | null }>()
  return results.flatMap((row) => subscriptionOf(row.subscription) ?? [])
}

export async function readOwner(db: D1Database, customerId: string): Promise<Owner | null> {
  const row = await db
    .prepare(
      `select 'user' kind, userId id from userCustomer where id = ?1
         union all select 'organization', organizationId from organizationCustomer where id = ?1`,
    )
    .bind(customerId)
    .first<Owner>()
  return row ?? null
}

/** False when there is no such person or organization any more, or when it has another customer already. */
export async function addCustomer(db: D1Database, { kind, id }: Owner, customerId: string): Promise<boolean> {
  const { table, column, owners } = homes[kind]
  await db
    .prepare(`insert into ${table} (id, ${column}) select ?1, id from ${owners} where id = ?2 on conflict do nothing`)
    .bind(customerId, id)
    .run()
  return (await db.prepare(`select id from ${table} where ${column} = ?`).bind(id).first('id')) === customerId
}

/** False when the lease has gone to somebody else meanwhile, who has read a newer state than this one. Releases the lease. */
export async function storeSubscription(
  db: D1Database,
  lease: Lease,
  { kind }: Owner,
  customerId: string,
  subscription: Subscription | null,
): Promise<boolean> {
  const { table } = homes[kind]
  const text = subscription && JSON.stringify(subscription)
  const [, released] = await db.batch([
    db
      .prepare(`update ${table} set subscription = ?3 where id = ?4 and subscription is not ?3 and ${isHeldSql}`)
      .bind(lease.id, lease.fence, text, customerId),
    releaseStatement(db, lease),
  ])
  return (released?.results.length ?? 0) > 0
}

export async function removeCustomer(db: D1Database, { kind }: Owner, customerId: string): Promise<void> {
  await db.prepare(`delete from ${homes[kind].table} where id = ?`).bind(customerId).run()
}

/** Whose screens change with this owner's subscription. */
export async function readBeneficiaries(db: D1Database, { kind, id }: Owner): Promise<string[]> {
  if (kind === 'user') return [id]
  const { results } = await db.prepare('select userId from member where organizationId = ?').bind(id).all<{ userId: string }>()
  return results.map(({ userId }) => userId)
}

export const readRole = (db: D1Database, organizationId: string, userId: string): Promise<string | null> =>
  db.prepare('select role from member where organizationId = ? and userId = ?').bind(organizationId, userId).first<string>('role')

export const countMembers = async (db: D1Database, organizationId: string): Promise<number> =>
  (await db.prepare('select count(*) n from member where organizationId = ?').bind(organizationId).first<number>('n')) ?? 0

/** Null for text that is no JSON, in the words of the indexes of 0016. */
const fieldSql = (name: keyof Subscription) => `case when json_valid(subscription) then json_extract(subscription, '$.${name}') end`

/** Customers whose stored period has ended although nothing has said that their subscription has; the latest first. */
export async function readOverdue(db: D1Database, nowMs: number, limit: number): Promise<Owner[]> {
  const overdue = (kind: Owner['kind']) =>
    `select '${kind}' kind, ${homes[kind].column} id, ${fieldSql('currentPeriodEndMs')} endMs from ${homes[kind].table}
       where subscription is not null and ${fieldSql('currentPeriodEndMs')} <= ?1
         and ${fieldSql('status')} not in ('canceled', 'incomplete_expired')`
  const { results } = await db
    .prepare(`select kind, id from (${overdue('user')} union all ${overdue('organization')}) order by endMs desc limit ?2`)
    .bind(nowMs, limit)
    .all<Owner>()
  return results
}

/** Organizations that pay for another number of seats than they have members. */
export async function readUnevenSeats(db: D1Database, limit: number): Promise<string[]> {
  const { results } = await db
    .prepare(
      `select organizationId from organizationCustomer
         where subscription is not null and ${fieldSql('status')} in ('active', 'trialing', 'past_due')
           and ${fieldSql('seats')}
             is not (select max(1, count(*)) from member where member.organizationId = organizationCustomer.organizationId)
         limit ?`,
    )
    .bind(limit)
    .all<{ organizationId: string }>()
  return results.map(({ organizationId }) => organizationId)
}

export type Payer = { readonly name: string; readonly email: string | null }

/** What the payment company is told about somebody; null when there is nobody. */
export function readPayer(db: D1Database, { kind, id }: Owner): Promise<Payer | null> {
  const email = kind === 'user' ? 'email' : 'null email'
  return db.prepare(`select name, ${email} from ${homes[kind].owners} where id = ?`).bind(id).first<Payer>()
}

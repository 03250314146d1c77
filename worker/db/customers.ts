/**
 * Stripe customers of users and organizations, and the subscription stored for each. A customer's id is Stripe's. Subscriptions are written
 * under a lease, so that an older state never replaces a newer one; an unchanged subscription is not written.
 */
import { and, desc, eq, inArray, isNotNull, lte, notInArray, type SQL, sql } from 'drizzle-orm'
import { unionAll } from 'drizzle-orm/sqlite-core'
import type { Subscription } from '../contract/organizations/subscription.ts'
import { isHeld, type Lease, releaseLease } from './leases.ts'
import { orm, runBatch } from './shards.ts'
import { organizationCustomer, userCustomer } from './tables/catalogue.ts'
import { member, organization } from './tables/organizations.ts'
import { user } from './tables/users.ts'

export type Owner = { readonly kind: 'user' | 'organization'; readonly id: string }
export type Customer = { readonly id: string; readonly subscription: Subscription | null }

const customerTables = {
  user: { customers: userCustomer, ownerId: userCustomer.userId, owners: user },
  organization: { customers: organizationCustomer, ownerId: organizationCustomer.organizationId, owners: organization },
} as const

export async function readCustomer(db: D1Database, { kind, id }: Owner): Promise<Customer | null> {
  const { customers, ownerId } = customerTables[kind]
  const [customer] = await orm(db).select({ id: customers.id, subscription: customers.subscription }).from(customers).where(eq(ownerId, id))
  return customer ?? null
}

/** The subscriptions that make a user PRO: the user's own and those of the user's organizations. */
export async function readSubscriptions(db: D1Database, userId: string): Promise<readonly Subscription[]> {
  const organizationIds = orm(db).select({ id: member.organizationId }).from(member).where(eq(member.userId, userId))
  const rows = await unionAll(
    orm(db).select({ subscription: userCustomer.subscription }).from(userCustomer).where(eq(userCustomer.userId, userId)),
    orm(db)
      .select({ subscription: organizationCustomer.subscription })
      .from(organizationCustomer)
      .where(inArray(organizationCustomer.organizationId, organizationIds)),
  )
  return rows.flatMap(({ subscription }) => subscription ?? [])
}

const kindOf = (kind: Owner['kind']) => sql<Owner['kind']>`${sql.raw(`'${kind}'`)}`.as('kind')

export async function readOwner(db: D1Database, customerId: string): Promise<Owner | null> {
  const ownersOf = (kind: Owner['kind']) => {
    const { customers, ownerId } = customerTables[kind]
    return orm(db)
      .select({ kind: kindOf(kind), id: sql<string>`${ownerId}`.as('id') })
      .from(customers)
      .where(eq(customers.id, customerId))
  }
  const [owner] = await unionAll(ownersOf('user'), ownersOf('organization'))
  return owner ?? null
}

/** False if the user or organization does not exist, or has another customer already. */
export async function addCustomer(db: D1Database, owner: Owner, customerId: string): Promise<boolean> {
  const { customers, ownerId, owners } = customerTables[owner.kind]
  await orm(db).run(
    sql`insert into ${customers} (id, ${sql.identifier(ownerId.name)}) select ${customerId}, id from ${owners} where id = ${owner.id} on conflict do nothing`,
  )
  return (await readCustomer(db, owner))?.id === customerId
}

/** False if another holder has taken the lease and may have read a newer state. Releases the lease. */
export async function storeSubscription(
  db: D1Database,
  lease: Lease,
  { kind }: Owner,
  customerId: string,
  subscription: Subscription | null,
): Promise<boolean> {
  const { customers } = customerTables[kind]
  const isOther = sql`${customers.subscription} is not ${sql.param(subscription, customers.subscription)}`
  const [, released] = await runBatch(db, [
    orm(db)
      .update(customers)
      .set({ subscription })
      .where(and(eq(customers.id, customerId), isOther, isHeld(db, lease))),
    releaseLease(db, lease),
  ])
  return (released?.results.length ?? 0) > 0
}

export async function removeCustomer(db: D1Database, { kind }: Owner, customerId: string): Promise<void> {
  const { customers } = customerTables[kind]
  await orm(db).delete(customers).where(eq(customers.id, customerId))
}

/** The users whose screens change with this owner's subscription. */
export async function readBeneficiaries(db: D1Database, { kind, id }: Owner): Promise<string[]> {
  if (kind === 'user') return [id]
  const members = await orm(db).select({ userId: member.userId }).from(member).where(eq(member.organizationId, id))
  return members.map(({ userId }) => userId)
}

export async function readRole(db: D1Database, organizationId: string, userId: string): Promise<string | null> {
  const [found] = await orm(db)
    .select({ role: member.role })
    .from(member)
    .where(and(eq(member.organizationId, organizationId), eq(member.userId, userId)))
  return found?.role ?? null
}

export const countMembers = (db: D1Database, organizationId: string): Promise<number> =>
  orm(db).$count(member, eq(member.organizationId, organizationId))

/** Null for text that is not JSON. Written like the expression indexes `userCustomer_period` and `organizationCustomer_period`. */
const fieldOf = (subscription: SQL | (typeof customerTables)[Owner['kind']]['customers']['subscription'], name: keyof Subscription) =>
  sql<number>`case when json_valid(${subscription}) then json_extract(${subscription}, ${sql.raw(`'$.${name}'`)}) end`

/** Customers whose stored period has ended while the stored subscription has not; the latest first. */
export async function readOverdue(db: D1Database, nowMs: number, limit: number): Promise<Owner[]> {
  const overdue = (kind: Owner['kind']) => {
    const { customers, ownerId } = customerTables[kind]
    const endMs = fieldOf(customers.subscription, 'currentPeriodEndMs')
    return orm(db)
      .select({ kind: kindOf(kind), id: sql<string>`${ownerId}`.as('id'), endMs: endMs.as('endMs') })
      .from(customers)
      .where(
        and(
          isNotNull(customers.subscription),
          lte(endMs, nowMs),
          notInArray(fieldOf(customers.subscription, 'status'), ['canceled', 'incomplete_expired']),
        ),
      )
  }
  const rows = await unionAll(overdue('user'), overdue('organization'))
    .orderBy(desc(sql.identifier('endMs')))
    .limit(limit)
  return rows.map(({ kind, id }) => ({ kind, id }))
}

/** Organizations that pay for another number of seats than they have members. */
export async function readUnevenSeats(db: D1Database, limit: number): Promise<string[]> {
  const { subscription, organizationId } = organizationCustomer
  const seatsNeeded = orm(db).select({ seats: sql`max(1, count(*))` }).from(member).where(eq(member.organizationId, organizationId))
  const rows = await orm(db)
    .select({ organizationId })
    .from(organizationCustomer)
    .where(
      and(
        isNotNull(subscription),
        inArray(fieldOf(subscription, 'status'), ['active', 'trialing', 'past_due']),
        sql`${fieldOf(subscription, 'seats')} is not ${seatsNeeded}`,
      ),
    )
    .limit(limit)
  return rows.map((row) => row.organizationId)
}

export type Payer = { readonly name: string; readonly email: string | null }

/** The name and address that Stripe receives; null if the owner does not exist. */
export async function readPayer(db: D1Database, { kind, id }: Owner): Promise<Payer | null> {
  const [payer] =
    kind === 'user'
      ? await orm(db).select({ name: user.name, email: user.email }).from(user).where(eq(user.id, id))
      : await orm(db).select({ name: organization.name }).from(organization).where(eq(organization.id, id))
  return payer ? { email: null, ...payer } : null
}

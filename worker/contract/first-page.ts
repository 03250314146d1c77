/**
 * What the first screen shows, known before any socket opens: the page is served with it, and `GET /_serverFn/first-page` answers with it.
 * Rows are those of the contract, so their times are epoch milliseconds. All of it is a hint: the first poke has the last word.
 */
import { type Plan, planOf } from './access.ts'
import type { RowOf } from './schema.ts'

/** The session without the token that proves it. */
export type SessionFacts = {
  readonly id: string
  readonly userId: string
  readonly expiresAt: number
  readonly createdAt: number
  readonly updatedAt: number
  readonly ipAddress: string | null
  readonly userAgent: string | null
  readonly activeOrganizationId: string | null
}

/** A thread and the end of the path on show; its beginning and other versions follow with the socket. */
export type ThreadEnd = RowOf<'thread'> & { readonly messages: readonly RowOf<'message'>[] }

/** What does not depend on the route. */
export type FirstRows = {
  readonly settings: RowOf<'setting'> | null
  /** Of the next message. */
  readonly model: RowOf<'model'> | null
  readonly customer: RowOf<'userCustomer'> | null
  /** Of the organizations that the person is a member of. */
  readonly organizationCustomers: readonly RowOf<'organizationCustomer'>[]
  readonly usage: RowOf<'usage'> | null
  readonly user: RowOf<'user'> | null
  /** The first page of the list, newest first, without messages. */
  readonly threads: readonly RowOf<'thread'>[]
}

/** `thread` is the route's; null on any other route, and when it is not this person's to see. */
export type FirstPage = FirstRows & { readonly session: SessionFacts; readonly thread: ThreadEnd | null }

/**
 * What stands in the page beside its hint, when somebody is signed in. `syncToken` saves the page asking for it; null when it has to.
 * `isRecord`: read for this very page, and so newer than any row that a browser has kept.
 */
export type InlinedPage = { readonly syncToken: string | null; readonly firstPage: FirstPage; readonly isRecord: boolean }

export const planOfRows = (
  { user, customer, organizationCustomers }: Pick<FirstRows, 'user' | 'customer' | 'organizationCustomers'>,
  nowMs: number,
): Plan =>
  planOf(
    {
      isAnonymous: user?.isAnonymous,
      subscription: customer?.subscription,
      shared: organizationCustomers.map(({ subscription }) => subscription),
    },
    nowMs,
  )

/**
 * Rows of the first screen, available before the socket opens. The page is served with them, and `GET /_serverFn/first-page` returns them.
 * Times are epoch milliseconds. The data can be stale; the first poke replaces it.
 */
import { type Plan, planOf } from './access.ts'
import type { RowOf } from './schema.ts'

/** A session without its token. */
export type SessionDetails = {
  readonly id: string
  readonly userId: string
  readonly expiresAt: number
  readonly createdAt: number
  readonly updatedAt: number
  readonly ipAddress: string | null
  readonly userAgent: string | null
  readonly activeOrganizationId: string | null
}

/** What the header of a thread shows of its project. */
export type ThreadProject = Pick<RowOf<'project'>, 'id' | 'name' | 'icon' | 'color'>

/** What the sidebar shows of a project. */
export type SidebarProject = ThreadProject & Pick<RowOf<'project'>, 'createdAt' | 'updatedAt'>

/**
 * A thread with its project and the end of its shown path. The beginning and other versions arrive through the socket. `model`: with which it
 * continues; null if that is the model of the user.
 */
export type ThreadEnd = RowOf<'thread'> & {
  readonly project: ThreadProject | null
  readonly model: RowOf<'model'> | null
  readonly messages: readonly RowOf<'message'>[]
}

/** Rows that do not depend on the route. */
export type FirstRows = {
  readonly settings: RowOf<'setting'> | null
  /** The user's model: of the next message of a new thread. */
  readonly model: RowOf<'model'> | null
  readonly customer: RowOf<'userCustomer'> | null
  /** Customers of the organizations that the user is a member of. */
  readonly organizationCustomers: readonly RowOf<'organizationCustomer'>[]
  readonly usage: RowOf<'usage'> | null
  readonly user: RowOf<'user'> | null
  /** First page of the thread list, newest first, without messages. */
  readonly threads: readonly RowOf<'thread'>[]
  /** The newest projects, and those of the threads. */
  readonly projects: readonly SidebarProject[]
}

/** `thread`: the thread of the route. Null on other routes, and if the user has no access to it. */
export type FirstPage = FirstRows & { readonly session: SessionDetails; readonly thread: ThreadEnd | null }

/**
 * Data inlined into the page for a signed-in user. `syncToken` saves a token request; null if the page has to request one. `isFromD1`: read
 * for this page, and therefore newer than rows in the browser's store.
 */
export type InlinedPage = { readonly syncToken: string | null; readonly firstPage: FirstPage; readonly isFromD1: boolean }

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

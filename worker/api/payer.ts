/** The payer of a request: the user, or an organization that the user may pay for. */
import type { SessionViewer } from '../auth/session.ts'
import type { RefusalCode } from '../contract/errors.ts'
import { idSchema } from '../contract/ids.ts'
import { type Owner, readRole } from '../db/customers.ts'
import { directoryDb } from '../db/shards.ts'
import type { AppContext } from './http.ts'

/** An organization of others is reported as not found. A member without the permission gets `not_authorized`. */
export async function payerFor(c: AppContext, { userId }: SessionViewer): Promise<Owner | RefusalCode> {
  const requestedId = c.req.query('organizationId')
  if (requestedId === undefined) return { kind: 'user', id: userId }
  const organizationId = idSchema.safeParse(requestedId)
  if (!organizationId.success) return 'not_found'
  return mayPayFor(c, organizationId.data, userId)
}

export async function mayPayFor(c: AppContext, organizationId: string, userId: string): Promise<Owner | 'not_found' | 'not_authorized'> {
  const role = await readRole(directoryDb(c.env), organizationId, userId)
  if (role === null) return 'not_found'
  const isAllowed = role.split(',').some((name) => name === 'owner' || name === 'admin')
  return isAllowed ? { kind: 'organization', id: organizationId } : 'not_authorized'
}

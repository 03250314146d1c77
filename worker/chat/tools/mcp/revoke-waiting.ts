/** Revokes the tokens of deleted tool servers. A server that does not answer is asked again later, a bounded number of times. */
import { maxRevocationAttempts, toolServerTimeoutMs } from '../../../contract/limits.ts'
import { claimRevocations, settleRevocation } from '../../../db/token-revocations.ts'
import { logger } from '../../../lib/logger.ts'
import { guardedFetch, type ServerEgress } from './egress.ts'
import { revokeLogins } from './server-login.ts'
import { openSecret, sealSecret } from './server-secrets.ts'

type Waiting = {
  readonly database: D1Database
  readonly authSecret: string
  readonly egress: ServerEgress
  readonly nowMs: number
  /** Only the tokens of this server. */
  readonly id?: string
}

/** The number of servers without tokens that are still to be revoked. */
export async function revokeWaiting({ database, authSecret, egress, nowMs, id }: Waiting): Promise<number> {
  const claimed = await claimRevocations(database, nowMs, id)
  const attempts = claimed.map(async (row) => {
    try {
      const signal = AbortSignal.timeout(2 * toolServerTimeoutMs)
      const secret = await openSecret(authSecret, row.id, row.sealed)
      const [login, ...replaced] = await revokeLogins(secret, guardedFetch(egress, signal))
      const isLast = row.attempts >= maxRevocationAttempts
      if (login && isLast) logger.warn('tool_server_tokens_forgotten')
      // Without the headers, which nothing needs any more.
      const left = login && !isLast ? await sealSecret(authSecret, row.id, { headers: {}, oauth: { ...login, replaced } }) : null
      await settleRevocation(database, row.id, left)
      return left === null
    } catch (error) {
      logger.error('tool_server_tokens_not_revoked', error)
      return false
    }
  })
  return (await Promise.all(attempts)).filter(Boolean).length
}

/**
 * Revokes all sessions, or all except the current one. better-auth deletes only one page of sessions and reports only those; if its read
 * fails, all sockets stay open. Here the deleted rows determine which sockets to close.
 */

import type { Env } from '../bindings.ts'
import { removeSessionsBut } from '../db/sessions.ts'
import { endSessions } from '../user-sync/rpc.ts'

type Session = { readonly id: string; readonly userId: string }

export async function revokeSessions(env: Env, { id, userId }: Session, which: 'all' | 'others'): Promise<{ readonly status: true }> {
  const ended = await removeSessionsBut(env, userId, which === 'others' ? id : null)
  if (ended.length > 0) await endSessions(env, userId, ended)
  return { status: true }
}

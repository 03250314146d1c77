/**
 * Revoking all sessions, or all others. better-auth's own ends as many as one page of its reads holds, and tells of no more than those; a
 * read that fails leaves every socket open. Here the rows that went say whom to tell.
 */
import { removeSessionsBut } from '../db/sessions.ts'
import type { Env } from '../env.ts'
import { endSessions } from '../user-sync/rpc.ts'

type Session = { readonly id: string; readonly userId: string }

export async function revokeSessions(env: Env, { id, userId }: Session, which: 'all' | 'others'): Promise<{ readonly status: true }> {
  const ended = await removeSessionsBut(env, userId, which === 'others' ? id : null)
  if (ended.length > 0) await endSessions(env, userId, ended)
  return { status: true }
}

/**
 * Connections end with what they stand on: the token, or the session behind it. The client hears `Unauthorized`, asks for a new token,
 * and is back if it gets one.
 */
import { readIsSignedIn, sessionStatement } from '../db/sessions.ts'
import { fatal } from './protocol/error.ts'
import type { Session } from './sessions.ts'
import type { UserContext } from './user-context.ts'

/** `all` when the account itself is gone. */
export type EndedSessions = readonly string[] | 'all'

export function endSessions({ sessions, hints }: UserContext, ended: EndedSessions): void {
  const isOver = ({ sessionId }: Session) => ended === 'all' || ended.includes(sessionId)
  for (const session of sessions.all()) if (isOver(session)) sessions.fail(session, fatal('Unauthorized', 'the session has ended'))
  hints.forget(ended)
}

/** Ends what has run out and looks again when the next one does. */
export function endExpired(context: UserContext, nowMs: number): void {
  for (const session of context.sessions.all())
    if (session.expiresAtMs <= nowMs) context.sessions.fail(session, fatal('Unauthorized', 'the token is expired'))
  const ends = context.sessions.all().map(({ expiresAtMs }) => expiresAtMs)
  context.state.meta.setDeadline('tokens', ends.length === 0 ? null : Math.min(...ends))
}

/** A later end than the one that is waited for changes nothing: the alarm finds out when it rings. */
export async function watchExpiry({ state, alarm }: UserContext, expiresAtMs: number): Promise<void> {
  const known = state.meta.deadline('tokens')
  if (known !== null && known <= expiresAtMs) return
  state.meta.setDeadline('tokens', expiresAtMs)
  await alarm.arm()
}

/** A token outlives its session by minutes; the record knows better. */
export async function isSignedIn({ record }: UserContext, sessionId: string): Promise<boolean> {
  const [found] = await record.batch(record.directory, [sessionStatement(record.directory, sessionId, record.userId)])
  return readIsSignedIn(found)
}

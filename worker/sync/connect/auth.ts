/** Connections end with their token and its session. The client receives `Unauthorized` and asks for a new token. */
import type { EndedSessions } from '../object/app.ts'
import type { UserContext } from '../object/context.ts'
import { fatal } from '../protocol/down.ts'
import type { Connection } from '../state/connections.ts'

export function endSessions({ connections, features }: UserContext, ended: EndedSessions): void {
  const isOver = ({ sessionId }: Connection) => ended === 'all' || ended.includes(sessionId)
  for (const connection of connections.all())
    if (isOver(connection)) connections.fail(connection, fatal('Unauthorized', 'the session has ended'))
  for (const feature of features) feature.onSessionsEnded?.(ended)
}

/** Ends connections with expired tokens and sets the alarm for the next one. */
export function endExpired({ connections, state }: UserContext, nowMs: number): void {
  for (const connection of connections.all())
    if (connection.expiresAtMs <= nowMs) connections.fail(connection, fatal('Unauthorized', 'the token is expired'))
  const ends = connections.all().map(({ expiresAtMs }) => expiresAtMs)
  state.meta.setAlarmAt('tokens', ends.length === 0 ? null : Math.min(...ends))
}

/** An alarm that is set for an earlier time stays: the handler sets the next one. */
export async function scheduleExpiryAlarm({ state, alarm }: UserContext, expiresAtMs: number): Promise<void> {
  const scheduledAt = state.meta.alarmAt('tokens')
  if (scheduledAt !== null && scheduledAt <= expiresAtMs) return
  state.meta.setAlarmAt('tokens', expiresAtMs)
  await alarm.arm()
}

export async function updateAuth(context: UserContext, connection: Connection, auth: string): Promise<void> {
  const { app, connections, source, userId } = context
  const token = await app.authenticate(auth)
  if ('refused' in token) return connections.fail(connection, fatal('Unauthorized', `the token is ${token.refused}`))
  if (token.userId !== userId) return connections.fail(connection, fatal('Unauthorized', 'the token is for another user'))
  const { expiresAtMs, sessionId } = token
  if (!(await source.isSignedIn(sessionId))) return connections.fail(connection, fatal('Unauthorized', 'the session has ended'))
  connections.update(connection, { expiresAtMs, sessionId })
  // Sends what the connection missed while its token was expired.
  await context.publish(() => undefined)
  await scheduleExpiryAlarm(context, expiresAtMs)
}

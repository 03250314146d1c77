/** Keeps the deadline of the next query to expire. Groups without a connection have no deadline: their clocks stand still. */
import type { UserContext } from '../user-context.ts'
import { expireQueries, nextExpiryMs } from './desire.ts'

const connectedGroups = ({ sessions }: UserContext): readonly string[] => [...new Set(sessions.all().map(({ groupID }) => groupID))]

export async function scheduleExpiry(context: UserContext): Promise<void> {
  const { state, alarm } = context
  const nowMs = Date.now()
  const times = connectedGroups(context).flatMap((groupID) => nextExpiryMs(state, groupID, nowMs) ?? [])
  const at = times.length === 0 ? null : Math.min(...times)
  if (at !== state.meta.deadline('queries')) state.meta.setDeadline('queries', at)
  await alarm.arm()
}

export async function expireDue(context: UserContext): Promise<void> {
  const { state } = context
  const nowMs = Date.now()
  context.publish(() => {
    for (const groupID of connectedGroups(context)) expireQueries(state, groupID, nowMs)
  })
  await scheduleExpiry(context)
}

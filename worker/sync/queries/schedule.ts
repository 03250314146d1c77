/** Keeps the deadline of the next query to expire. Groups without a connection have no deadline: their clocks stand still. */
import type { Session } from '../sessions.ts'
import { tidy } from '../tidy.ts'
import type { UserContext } from '../user-context.ts'
import { expireQueries, nextExpiryMs } from './desire.ts'

const connectedGroups = ({ sessions }: UserContext): readonly string[] => [...new Set(sessions.all().map(({ groupID }) => groupID))]

export async function scheduleExpiry(context: UserContext): Promise<void> {
  const { state, alarm } = context
  const nowMs = Date.now()
  // Whoever asks what ends next has just ended something, and that must not pile up between two connects.
  tidy(state, nowMs)
  const times = connectedGroups(context).flatMap((groupID) => nextExpiryMs(state, groupID, nowMs) ?? [])
  const at = times.length === 0 ? null : Math.min(...times)
  if (at !== state.meta.deadline('queries')) state.meta.setDeadline('queries', at)
  await alarm.arm()
}

export async function expireDue(context: UserContext): Promise<void> {
  const { state } = context
  const nowMs = Date.now()
  // Before the work: should it fail, the alarm must not ring for it again and again. Whoever comes back sets it anew.
  state.meta.setDeadline('queries', null)
  await context.publish(() => {
    for (const groupID of connectedGroups(context)) expireQueries(state, groupID, nowMs)
  })
  await scheduleExpiry(context)
}

/** The last connection of a group that goes stops the group's clock. */
export async function leaveGroup(context: UserContext, { groupID, socket }: Session): Promise<void> {
  if (context.sessions.ofGroup(groupID).some((other) => other.socket !== socket)) return
  context.state.groups.stopClock(groupID, Date.now())
  await scheduleExpiry(context)
}

/** When the first page in KV is to follow: with the commit that has changed rows, behind a new connection, and when the alarm rings for it. */
import type { UserContext } from './user-context.ts'

type Keeper = Pick<UserContext, 'alarm' | 'hints' | 'isImporting' | 'sessions' | 'state'>

/** Call in the transaction that has changed rows. True when it is too early, and the alarm is to be armed. */
export function offerHint({ hints, sessions }: Keeper): boolean {
  const nowMs = Date.now()
  return !hints.isDue(nowMs) && hints.offer(readersOf(sessions), nowMs)
}

/** Without a change to join. Nobody waits for KV. */
export async function keepHint(context: Keeper, news: 'rows' | 'connection' | 'deadline'): Promise<void> {
  const { hints, alarm, sessions, state } = context
  let isLater = false
  try {
    state.meta.together(() => {
      if (news === 'deadline') state.meta.setDeadline('hint', null)
      if (context.isImporting) return
      isLater = news === 'connection' ? hints.joined(readersOf(sessions), Date.now()) : offerHint(context)
    })
  } catch (error) {
    hints.reset()
    throw error
  }
  hints.send()
  if (isLater) await alarm.arm()
}

const readersOf = (sessions: Keeper['sessions']): readonly string[] => sessions.all().map(({ sessionId }) => sessionId)

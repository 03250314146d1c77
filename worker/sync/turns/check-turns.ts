/** Repairs lost hints and failed calls: reads the feed, tells every open turn's generation again, and begins what is due. */
import type { UserContext } from '../user-context.ts'
import { dueQueued, runQueue } from './queue.ts'
import { threadsInFlight } from './turn-calls.ts'
import { firstTurnCheckAt, nextTurnCheckAt } from './watch.ts'

export async function checkTurns(context: UserContext, nowMs: number): Promise<void> {
  const { engine, meta } = context.state
  // Before the attempt: should it fail, another one follows.
  meta.setDeadline('turns', firstTurnCheckAt(nowMs))
  await context.commit({ isRecovery: true })
  await runQueue(context)
  const { openTurns } = context
  const due = dueQueued(engine, context.userId, Date.now()).map(({ createdAt }) => ({ updatedAt: createdAt }))
  meta.setDeadline('turns', nextTurnCheckAt([...threadsInFlight(engine, openTurns), ...due], Date.now()))
}

/** The day's limits have begun anew, or somebody went away from a message they were changing: what that held may go on. */
export async function checkHeld(context: UserContext, nowMs: number): Promise<void> {
  // Before the attempt, as above; reading the feed sets it to the next such moment, or to nothing.
  context.state.meta.setDeadline('held', firstTurnCheckAt(nowMs))
  await context.commit({ isRecovery: true })
}

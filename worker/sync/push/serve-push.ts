/** Pushed mutations from the line to the answer: who may write now, what is applied, and who is told to wait or to come back. */
import { admitPush, limitPush } from '../limits/limit-push.ts'
import type { UserContext } from '../user-context.ts'
import { applyPush } from './apply-push.ts'
import { type PushedMutation, sendersFrom } from './pending.ts'
import { problemError } from './problem.ts'

/** `later` while rows are being imported: then nothing was done. */
export async function servePush(context: UserContext, pushed: readonly PushedMutation[]): Promise<'done' | 'later'> {
  const { sessions } = context
  // What a person may do is decided on rows: on all of them, and not on those of before this object slept.
  if (!(await context.prepare())) return 'later'
  const nowMs = Date.now()
  const { admitted, refused } = admitPush(context, pushed, nowMs)
  for (const problem of await applyPush(context, admitted)) {
    // Of equal mutations one copy is served; whoever sent another waits for the same answer, and what it sends next would be a gap.
    for (const socket of sendersFrom(admitted, problem.pushed)) {
      const session = sessions.of(socket)
      if (session) sessions.fail(session, problemError(problem, session.clientID))
    }
  }
  await limitPush(context, refused, nowMs)
  return 'done'
}

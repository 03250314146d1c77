/** What is done when the alarm rings, by the name of the deadline that has come. Each sets its next one, or none. */

import { reopen } from './limits/limit-push.ts'
import { expireDue } from './queries/schedule.ts'
import type { DeadlineName } from './state/meta.ts'
import { endExpired } from './tokens.ts'
import { threadsInFlight } from './turns/turn-calls.ts'
import { firstTurnCheckAt, nextTurnCheckAt } from './turns/watch.ts'
import type { UserContext } from './user-context.ts'

export const deadlineWork: { readonly [Name in DeadlineName]: (context: UserContext, nowMs: number) => Promise<void> } = {
  queries: expireDue,
  turns: checkTurns,
  quota: async (context) => reopen(context),
  tokens: async (context, nowMs) => endExpired(context, nowMs),
  hint: async (context) => {
    context.state.meta.setDeadline('hint', null)
    await context.keepHint('rows')
  },
}

/** Repairs lost hints and failed calls: reads the feed and tells every open turn's generation again. */
async function checkTurns(context: UserContext, nowMs: number): Promise<void> {
  const { state } = context
  // Before the attempt: should it fail, another one follows.
  state.meta.setDeadline('turns', firstTurnCheckAt(nowMs))
  await context.commit({ isRecovery: true })
  state.meta.setDeadline('turns', nextTurnCheckAt(threadsInFlight(state.engine), Date.now()))
}

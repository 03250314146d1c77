/** What is done when the alarm rings, by the name of the deadline that has come. Each sets its next one, or none. */
import { reopen } from './limits/limit-push.ts'
import { expireDue } from './queries/schedule.ts'
import type { DeadlineName } from './state/meta.ts'
import { endExpired } from './tokens.ts'
import { checkTurns } from './turns/check-turns.ts'
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

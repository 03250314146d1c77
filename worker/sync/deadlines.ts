/** What is done when the alarm rings, by the name of the deadline that has come. Each sets its next one, or none. */
import { dueNames, readDeadlines } from './alarm.ts'
import { keepHint } from './keep-hint.ts'
import { reopen } from './limits/limit-push.ts'
import { expireDue } from './queries/schedule.ts'
import type { DeadlineName } from './state/meta.ts'
import { endExpired } from './tokens.ts'
import { checkHeld, checkTurns } from './turns/check-turns.ts'
import type { UserContext } from './user-context.ts'

const deadlineWork: { readonly [Name in DeadlineName]: (context: UserContext, nowMs: number) => Promise<void> } = {
  queries: expireDue,
  turns: checkTurns,
  import: async (context) => {
    await context.importOn()
  },
  held: checkHeld,
  quota: async (context) => reopen(context),
  tokens: async (context, nowMs) => endExpired(context, nowMs),
  hint: (context) => keepHint(context, 'deadline'),
}

/** `guarded` keeps one that fails from stopping the others. */
export async function serveDeadlines(
  context: UserContext,
  guarded: (name: DeadlineName, work: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const { state, alarm, mayMissTurns } = context
  // Before anything that can fail: while it is believed to be set, nobody sets it again.
  alarm.rang()
  const known = readDeadlines(state.meta)
  // Once another deadline is served, nothing else would say that the alarm was set for a turn.
  const due = dueNames(mayMissTurns ? { ...known, turns: 0 } : known, Date.now())
  for (const name of due) await guarded(name, () => deadlineWork[name](context, Date.now()))
  await alarm.arm()
}

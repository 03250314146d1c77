/** The outcome of a batch of mutations as D1 statements: per mutation its progress, then its writes or its refusal. */
import { hiddenFilesStatements } from '../../db/hidden-files.ts'
import { advanceStatement, resultStatement } from '../../db/progress.ts'
import { openTurnStatements } from '../../db/turns.ts'
import { rowStatement } from '../../db/writes.ts'
import type { PushedMutation } from './pending.ts'
import type { Outcome } from './run-mutation.ts'

type Applied = Extract<Outcome, { type: 'applied' }>

export type Ran = { readonly pushed: PushedMutation; readonly outcome: Outcome }

export function statementsOf(db: D1Database, userId: string, ran: readonly Ran[], nowMs: number): D1PreparedStatement[] {
  return ran.flatMap(({ pushed: { groupID, mutation }, outcome }) => {
    const client = { clientGroupID: groupID, clientID: mutation.clientID, userId }
    return [
      advanceStatement(db, client, mutation.id, nowMs),
      ...(outcome.type === 'refused'
        ? [resultStatement(db, client, mutation.id, JSON.stringify(outcome.error), nowMs)]
        : [...appliedStatements(db, userId, outcome, nowMs)]),
    ]
  })
}

/** The turn first: its guards look at rows that the writes change, such as the queued message that it comes from. */
export const appliedStatements = (db: D1Database, userId: string, { opened, writes }: Applied, nowMs: number): D1PreparedStatement[] => [
  ...(opened ? openTurnStatements(db, userId, opened.turn, opened.reservation, nowMs) : []),
  ...writes.flatMap((write) => [rowStatement(db, userId, write), ...hiddenFilesStatements(db, write)]),
]

/**
 * Reads the rows that determine a user's plan. The generator yields queries, so that a mutator's transaction can run them asynchronously
 * and the replica synchronously.
 */
import type { Query } from '@rocicorp/zero'
import { type Plan, planOf } from './access.ts'
import { type RowOf, type Schema, type TableName, zql } from './schema.ts'

type Rows = readonly unknown[]
export type RowQuery = Query<TableName, Schema>
export type RowQuestions<Answer> = Generator<RowQuery, Answer, Rows>

export function* planFacts(userId: string, nowMs: number): RowQuestions<Plan> {
  const [user] = yield* rowsOf<'user'>(zql.user.where('id', userId))
  const [customer] = yield* rowsOf<'userCustomer'>(zql.userCustomer.where('userId', userId))
  const shared: RowOf<'organizationCustomer'>['subscription'][] = []
  for (const { organizationId } of yield* rowsOf<'member'>(zql.member.where('userId', userId)))
    for (const { subscription } of yield* rowsOf<'organizationCustomer'>(zql.organizationCustomer.where('organizationId', organizationId)))
      shared.push(subscription)
  return planOf({ isAnonymous: user?.isAnonymous, subscription: customer?.subscription, shared }, nowMs)
}

/** The caller must answer a query with rows of its table. */
function* rowsOf<T extends TableName>(query: Query<T, Schema>): RowQuestions<readonly RowOf<T>[]> {
  return (yield query as unknown as RowQuery) as readonly RowOf<T>[]
}

export function answerNow<Answer>(questions: RowQuestions<Answer>, run: (query: RowQuery) => Rows): Answer {
  let step = questions.next([])
  while (!step.done) step = questions.next(run(step.value))
  return step.value
}

export async function answerLater<Answer>(questions: RowQuestions<Answer>, run: (query: RowQuery) => Promise<Rows>): Promise<Answer> {
  let step = questions.next([])
  while (!step.done) step = questions.next(await run(step.value))
  return step.value
}

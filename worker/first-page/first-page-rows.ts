/** Reads the first page from the replica. A few indexed reads, bounded for any history. */
import { asQueryInternals } from '@rocicorp/zero/bindings'
import { type FirstRows, planOfRows, type ThreadEnd } from '../contract/first-page.ts'
import { threadPageSize } from '../contract/limits.ts'
import { chosenModel, isSelectable } from '../contract/model-choice.ts'
import { queries } from '../contract/queries.ts'
import { type RowOf, type TableName, zql } from '../contract/schema.ts'
import { threadEnd } from '../db/thread-end.ts'
import type { Engine } from '../sync/engine/types.ts'

/** Chosen: the threads that the user is likely to open next. */
const recentThreads = 5

type FirstPageRows = { readonly rows: FirstRows; readonly recent: readonly ThreadEnd[] }

export function firstPageRows(engine: Engine, userId: string, nowMs: number): FirstPageRows {
  const own = <T extends TableName>(table: T, id: string | null | undefined) =>
    // The replica holds rows as the contract describes them.
    ((id && engine.get(table, { id })) || null) as RowOf<T> | null
  const list = queries.threads.list.fn({ args: { limit: threadPageSize }, ctx: { userId } })
  const threads = engine.run(asQueryInternals(list).ast) as unknown as readonly RowOf<'thread'>[]
  const customers = engine.run(asQueryInternals(zql.userCustomer.where('userId', userId)).ast)
  const customer = (customers[0] ?? null) as RowOf<'userCustomer'> | null
  const memberships = engine.run(asQueryInternals(zql.member.where('userId', userId)).ast) as unknown as readonly RowOf<'member'>[]
  const organizationCustomers = memberships.flatMap(({ organizationId }) =>
    engine.run(asQueryInternals(zql.organizationCustomer.where('organizationId', organizationId)).ast),
  ) as unknown as readonly RowOf<'organizationCustomer'>[]
  // Setting and usage rows have their user's id.
  const settings = own('setting', userId)
  const user = own('user', userId)
  const chosen = own('model', settings?.modelId)
  const plan = planOfRows({ user, customer, organizationCustomers }, nowMs)
  return {
    rows: {
      settings,
      // The whole catalogue is read only if needed.
      model: chosen && isSelectable(chosen) ? chosen : (chosenModel(catalogue(engine), settings?.modelId, plan) ?? null),
      customer,
      organizationCustomers,
      usage: own('usage', userId),
      user,
      threads,
    },
    recent: threads.slice(0, recentThreads).flatMap((thread) => threadEnd(thread, (id) => own('message', id) ?? undefined) ?? []),
  }
}

const catalogue = (engine: Engine) => engine.run(asQueryInternals(zql.model).ast) as unknown as readonly RowOf<'model'>[]

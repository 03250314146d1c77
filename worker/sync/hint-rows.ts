/** The first page as the replica knows it. A few indexed reads, bounded whatever the history is. */
import { asQueryInternals } from '@rocicorp/zero/bindings'
import type { FirstRows, ThreadEnd } from '../contract/first-page.ts'
import { threadPageSize } from '../contract/limits.ts'
import { queries } from '../contract/queries.ts'
import { type RowOf, type TableName, zql } from '../contract/schema.ts'
import { threadEnd } from '../db/thread-end.ts'
import type { Engine } from './engine/types.ts'

/** Ours: the threads a person is likely to open next. */
const hintedThreads = 5

export type HintRows = { readonly rows: FirstRows; readonly recent: readonly ThreadEnd[] }

export function hintRows(engine: Engine, userId: string): HintRows {
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
  // A setting and a usage row have their person's id.
  const settings = own('setting', userId)
  return {
    rows: {
      settings,
      model: own('model', settings?.modelId),
      customer,
      organizationCustomers,
      usage: own('usage', userId),
      user: own('user', userId),
      threads,
    },
    recent: threads.slice(0, hintedThreads).flatMap((thread) => threadEnd(thread, (id) => own('message', id) ?? undefined) ?? []),
  }
}

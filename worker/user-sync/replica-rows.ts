/** Typed reads of the replica. Its rows are those of the contract's tables. */
import type { Query } from '@rocicorp/zero'
import { asQueryInternals } from '@rocicorp/zero/bindings'
import type { Plan } from '../contract/access.ts'
import { type FirstRows, planOfRows } from '../contract/first-page.ts'
import { type RowOf, type Schema, type TableName, zql } from '../contract/schema.ts'
import type { Engine } from '../sync/engine/types.ts'

export type Rows = Pick<Engine, 'get' | 'run'>

/** A row of `usage` or `setting` has its user's id. */
export const findRow = <T extends TableName>(rows: Rows, table: T, id: string) => rows.get(table, { id }) as unknown as RowOf<T> | undefined

export const rowsOf = <T extends TableName>(rows: Rows, query: Query<T, Schema>) =>
  rows.run(asQueryInternals(query).ast) as unknown as readonly RowOf<T>[]

/** The rows that decide the user's plan. */
export function planRows(rows: Rows, userId: string): Pick<FirstRows, 'user' | 'customer' | 'organizationCustomers'> {
  const [customer = null] = rowsOf(rows, zql.userCustomer.where('userId', userId))
  const organizationCustomers = rowsOf(rows, zql.member.where('userId', userId)).flatMap(({ organizationId }) =>
    rowsOf(rows, zql.organizationCustomer.where('organizationId', organizationId)),
  )
  return { user: findRow(rows, 'user', userId) ?? null, customer, organizationCustomers }
}

/** As `planFor`, which reads in a mutator. */
export const planIn = (rows: Rows, userId: string, nowMs: number): Plan => planOfRows(planRows(rows, userId), nowMs)

/** The root rows of a query as they are now, for mutators, which ask questions but keep no result. */
import type { StoredRow } from './codec.ts'
import { bind, frag, query, raw } from './fragment.ts'
import { orderBySql } from './order.ts'
import type { Plan } from './plan.ts'
import { tableSql } from './predicate.ts'
import type { Sql } from './types.ts'
import { unsupported } from './unsupported.ts'

export function selectRoot(sql: Sql, { root, order }: Plan, limit: number | undefined): readonly StoredRow[] {
  if (root.children.some((child) => child.kind === 'related')) return unsupported('related() outside a condition', 'related')
  const first = limit === undefined ? raw('') : frag` limit ${bind(limit)}`
  const sorted = orderBySql(order, root.alias)
  return query(sql, frag`select * from ${tableSql(root)} where ${root.local} order by ${sorted}${first}`)
}

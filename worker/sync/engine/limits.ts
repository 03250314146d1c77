/** What SQLite in a Durable Object accepts, and the check that a plan's largest statements stay below it. */
import { coveredSql } from './chain.ts'
import { betweenSql, withinSql } from './order.ts'
import type { Plan, PlanNode } from './plan.ts'
import { unsupported } from './unsupported.ts'

/** Platform: https://developers.cloudflare.com/durable-objects/platform/limits/ */
const MAX_BINDS = 100
const MAX_STATEMENT_BYTES = 100_000

/** Ours: what a statement may hold besides its conditions: correlation values, LIMIT, OFFSET. */
const RESERVED_BINDS = 10

export function assertStatementsFit(plan: Plan): void {
  for (const node of plan.nodes) {
    const { text, binds } = largestStatement(plan, node)
    if (binds.length > MAX_BINDS - RESERVED_BINDS) unsupported(`${binds.length} values in one statement`, node.table.name)
    if (text.length * 3 > MAX_STATEMENT_BYTES) unsupported(`a statement of ${text.length} characters`, node.table.name)
  }
}

/** Reading what lies between two edges of a window binds most. */
function largestStatement(plan: Plan, node: PlanNode) {
  const { alias } = plan.root
  if (plan.window === null) return coveredSql(node, withinSql(plan.order, alias, null))
  const edge = plan.order.map(() => 0)
  return coveredSql(node, betweenSql(plan.order, alias, edge, edge))
}

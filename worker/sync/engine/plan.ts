/**
 * A compiled query: a tree of nodes, one per table. Related rows and EXISTS matches are nodes alike, because the client needs both to
 * evaluate the query. A plan depends on the AST and the tables only.
 */
import type { Fragment } from './fragment.ts'
import type { SqlValue, Table } from './types.ts'

export type CompareOp = '=' | '!=' | '<' | '>' | '<=' | '>=' | 'IS' | 'IS NOT'

export type Cond =
  | { readonly type: 'constant'; readonly value: boolean }
  | { readonly type: 'compare'; readonly column: string; readonly op: CompareOp; readonly value: SqlValue }
  | { readonly type: 'in'; readonly column: string; readonly negated: boolean; readonly values: ReadonlySet<SqlValue> }
  | { readonly type: 'exists'; readonly node: PlanNode }
  | { readonly type: 'and' | 'or'; readonly conditions: readonly Cond[] }

export type FixedValue = readonly [column: string, value: SqlValue]

export type PlanNode = {
  readonly table: Table
  readonly kind: 'root' | 'related' | 'exists'
  /** Unique in the plan, so that conditions of nested statements can name their node. */
  readonly alias: string
  readonly parent: PlanNode | null
  /** Columns of the parent's row and of this row that must be equal; both empty at the root. */
  readonly parentField: readonly string[]
  readonly childField: readonly string[]
  /** The condition on a row and its EXISTS matches. */
  readonly cond: Cond
  /** `cond` as SQL over `alias`. */
  readonly local: Fragment
  readonly children: readonly PlanNode[]
  /** Every descendant node, nearest first. */
  readonly descendants: readonly PlanNode[]
  /** Own correlation columns and those of the children: when one changes, other rows are below this one. */
  readonly correlationColumns: readonly string[]
  /** Values that a row must have, from its own condition and its ancestors'. */
  readonly fixedValues: readonly FixedValue[]
  /** Other tables whose rows decide `cond`. */
  readonly existsTables: ReadonlySet<string>
}

export type OrderPart = { readonly column: string; readonly direction: 'asc' | 'desc'; readonly nullable: boolean }
export type Order = readonly OrderPart[]

/** A root limit: the first `limit` rows in `order`, which ends with the primary key and is therefore total. */
export type Window = { readonly limit: number; readonly order: Order }

export type Plan = {
  readonly root: PlanNode
  /** Parents before children. */
  readonly nodes: readonly PlanNode[]
  readonly byTable: ReadonlyMap<string, readonly PlanNode[]>
  /** Order of the root's rows, with or without a window. */
  readonly order: Order
  readonly window: Window | null
  /** Per table the columns that decide membership, correlation or window order. */
  readonly structural: ReadonlyMap<string, ReadonlySet<string>>
}

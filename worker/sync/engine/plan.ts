/**
 * A compiled query: a tree of nodes, one per table visited. Related rows and EXISTS witnesses are nodes alike, because the
 * client needs both to evaluate the query over its own rows. Plans depend on the AST and the tables only, never on rows.
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

export type Pin = readonly [column: string, value: SqlValue]

export type PlanNode = {
  readonly table: Table
  readonly kind: 'root' | 'related' | 'exists'
  /** Unique in the plan, so that conditions of nested statements can name their node. */
  readonly alias: string
  readonly parent: PlanNode | null
  /** Columns of the parent's row and of this one that must be equal; both empty at the root. */
  readonly parentField: readonly string[]
  readonly childField: readonly string[]
  /** What a row must satisfy by itself and by its witnesses. */
  readonly cond: Cond
  /** `cond` as SQL over `alias`. */
  readonly local: Fragment
  readonly children: readonly PlanNode[]
  /** Every node below, nearest first. */
  readonly descendants: readonly PlanNode[]
  /** Own correlation and the children's correlation columns: when one changes, other rows hang below this one. */
  readonly linkage: readonly string[]
  /** Values without which a row cannot belong, from its own condition and from its ancestors'. */
  readonly pins: readonly Pin[]
  /** Tables whose rows decide `cond` besides the row itself. */
  readonly witnessTables: ReadonlySet<string>
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
  /** Order of the root's rows, whether or not a window cuts them. */
  readonly order: Order
  readonly window: Window | null
  /** Per table the columns that decide membership, linkage or the window's order. */
  readonly structural: ReadonlyMap<string, ReadonlySet<string>>
}

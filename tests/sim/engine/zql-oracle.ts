/**
 * Zero's own query engine over given rows, as a second evaluation. A deep import, because the package exports no evaluation over plain
 * rows. For tests only, with the exactly pinned version.
 */
import type { AST } from '@rocicorp/zero'
import { buildPipeline } from '../../../node_modules/@rocicorp/zero/out/zql/src/builder/builder.js'
import type { Node } from '../../../node_modules/@rocicorp/zero/out/zql/src/ivm/data.js'
import { MemorySource } from '../../../node_modules/@rocicorp/zero/out/zql/src/ivm/memory-source.js'
import { MemoryStorage } from '../../../node_modules/@rocicorp/zero/out/zql/src/ivm/memory-storage.js'
import { makeSourceChangeAdd } from '../../../node_modules/@rocicorp/zero/out/zql/src/ivm/source.js'
import type { Row } from '../../../worker/sync/engine/types.ts'
import { type Database, rowID } from '../../support/naive-evaluator.ts'
import { schema, tables } from './domain.ts'

type ResultNode = readonly [id: string, ...related: ResultNode[][]]
type Sources = Map<string, MemorySource>

/** The result in the form of the naive evaluator's. */
export function evaluateWithZero(ast: AST, database: Database): string {
  const sources = sourcesOf(database)
  const input = buildPipeline(
    ast,
    {
      getSource: (name) => sources.get(name),
      createStorage: () => new MemoryStorage(),
      decorateInput: (decorated) => decorated,
      decorateFilterInput: (decorated) => decorated,
      decorateSourceInput: (decorated) => decorated,
      addEdge: () => undefined,
    },
    'oracle',
  )
  return JSON.stringify(expand(ast, input.fetch({})))
}

/** One source for all queries of a client. */
const sourcesByDatabase = new WeakMap<Database, Sources>()

function sourcesOf(database: Database): Sources {
  const known = sourcesByDatabase.get(database)
  if (known !== undefined) return known
  const sources: Sources = new Map()
  sourcesByDatabase.set(database, sources)
  for (const [name, table] of Object.entries(schema.tables)) {
    const source = new MemorySource(name, table.columns, table.primaryKey)
    sources.set(name, source)
    // Pushing is lazy: the change is applied when the stream has ended.
    for (const row of database[name] ?? []) for (const _ of source.push(makeSourceChangeAdd(row as never)));
  }
  return sources
}

function expand(ast: AST, nodes: Iterable<Node | 'yield'>): ResultNode[] {
  const expanded: ResultNode[] = []
  for (const node of nodes) {
    if (node === 'yield') continue
    const related = (ast.related ?? []).map(({ subquery }) => expand(subquery, node.relationships[subquery.alias ?? '']?.() ?? []))
    expanded.push([rowID(tables, ast.table, node.row as Row), ...related])
  }
  return expanded
}

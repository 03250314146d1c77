// Does the property test notice a broken engine? Each bug is a replacement in one source file of a copy; histories run until
// one fails. Every run tries the one history that is known to notice it; the long run (PARLEY_LONG=1) looks for the first by itself.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import type { createEngine } from '../../../worker/sync/engine/engine.ts'
import { type Bug, bug, plantInto } from '../planted-bug.ts'
import { runHistory } from './history.ts'
import { pinnedShapes, type Shapes, shapes } from './shapes.ts'

/** A bug that survives this many histories survives. */
const MAX_HISTORIES = 2000
const STEPS = 60

const bugs: readonly Bug[] = [
  bug(1, 'rows below one that left stay', 'query-step.ts', 'this.#below(node, old, this.#mayDelete)', 'void old'),
  bug(1, 'rows below one that entered are missing', 'query-step.ts', 'this.#below(node, row, this.#put)', 'void row'),
  bug(1, 'a moved row keeps its old children', 'query-step.ts', 'node.linkage.every((column) => old[column] === row[column])', 'true'),
  bug(2, 'old images are trusted about witnesses', 'query-step.ts', 'node.witnessTables.size > 0 ? reachable : wasMember', 'wasMember'),
  bug(9, 'a flip stops at the first owner', 'query-step.ts', "if (parent.kind === 'exists') this.#flip(parent, owner)", ''),
  bug(2, 'owners of a vanished witness are not judged', 'query-step.ts', 'this.#flip(node, old)', 'void old'),
  bug(2, 'owners of a new witness are not judged', 'query-step.ts', 'this.#flip(node, row)', 'void row'),
  bug(2, 'a witness that moved is not noticed', 'query-step.ts', 'was === is && (linked || !is)', 'was === is'),
  bug(2, 'every owner counts as settled', 'query-step.ts', '!touched.has(rowKeyOf(node.table, witness))', 'true'),
  bug(9, 'settled in spite of nested witnesses', 'query-step.ts', '!loud.some(({ table }) => node.witnessTables.has(table.name))', 'true'),
  bug(
    11,
    'a window that shrank keeps its rows',
    'query-step.ts',
    'else if (now !== null) this.#coverage(betweenSql(order, root.alias, now, then), this.#mayDelete)',
    '',
  ),
  bug(
    3,
    'a removed query keeps its rows',
    'query-step.ts',
    'else this.#coverage(withinSql(this.#plan.order, this.#plan.root.alias, this.#then), this.#mayDelete)',
    '',
  ),
  bug(5, 'the newest old image counts', 'changes.ts', 'entries.find((', 'entries.findLast(('),
  bug(1, 'every update is quiet', 'changes.ts', 'row !== null && agrees(old, row)', 'row !== null'),
  bug(
    2,
    'the edge of now bounds every client',
    'sync.ts',
    'const then = edgeAt(registered.edges, since)',
    'const then = edgeNow(registered.edges) as ReturnType<typeof edgeAt>',
  ),
  bug(
    292,
    'a forgotten edge is the oldest remembered',
    'edges.ts',
    "entry === undefined ? 'forgotten' : entry[1]",
    'entry === undefined ? (history[0]?.[1] ?? null) : entry[1]',
  ),
  bug(51, 'a window that moved meanwhile is not measured', 'sync.ts', 'told !== null && movedAt(edges) <= told.since', 'told !== null'),
  bug(
    1,
    'of many reaches a wake knows the first',
    'query-table.ts',
    'from known where known.reach is not null\n',
    'from known where false\n',
  ),
  bug(
    3,
    'a query without changes covers nothing',
    'sync.ts',
    '?? stepOf(context, registered, edgeNow(registered.edges), ops, [])\n      steps.set(registered, step)',
    '\n      if (!step) return false',
  ),
  bug(16, 'witnesses do not move windows', 'window.ts', 'root.witnessTables.has(table.name) ||', ''),
  bug(2, 'windows never refill', 'window.ts', 'if (reach > 0) return last', 'if (reach > 0) return edge'),
  bug(11, 'windows grow beyond their slack', 'window.ts', 'slackOf(window.limit) + 1', 'slackOf(window.limit) + 2'),
  bug(6, 'SQL loses nulls at an edge', 'order.ts', 'part.nullable ? frag', 'part.column === "" ? frag'),
  bug(6, 'null is last', 'compare.ts', 'if (a === null) return -1', 'if (a === null) return 1'),
  bug(4, 'text sorts by UTF-16', 'compare.ts', 'isSurrogate(x) === isSurrogate(y) ? x - y : isSurrogate(x) ? 1 : -1', 'x - y'),
  bug(3, 'a gone query is forgotten at once', 'sync.ts', 'context.registry.goneSince(group, since)', '[] as RegisteredQuery[]'),
  bug(1, 'rows another query covers are deleted', 'row-ops.ts', ' || isMember(table, row)', ''),
  bug(1, 'changed rows that left are not deleted', 'row-ops.ts', 'if (!quiet && old !== null', 'if (quiet && old !== null'),
  bug(
    1,
    'correlations of children are not structural',
    'compile.ts',
    'for (const column of [...node.linkage, ...conditionColumns(node.cond)])',
    'for (const column of [...node.childField, ...conditionColumns(node.cond)])',
  ),
  bug(2, 'orders are not structural', 'compile.ts', 'if (node.parent === null) for', 'if (node.parent !== null) for'),
  bug(2, 'memory claims to reach one version further', 'recent.ts', 'since < this.#since)', 'since < this.#since - 1)'),
  bug(13, 'removals do not count as versions', 'versions.ts', ', stored?.gone ?? 0)', ')'),
  bug(2, 'what was judged of one version holds for the next', 'judge.ts', 'if (version !== this.#version) this.#judges.clear()', ''),
  bug(1, 'children need no parent', 'judge.ts', '(node.parent === null || this.#hasParent(node, node.parent, row))', 'true'),
  bug(
    2,
    'root rows need not be within the edge',
    'judge.ts',
    'if (node.parent === null && !isWithin(this.#plan.order, row, this.#edge)) return false',
    '',
  ),
  bug(
    1,
    'witnesses are not asked',
    'judge.ts',
    'holds(node.cond, row, (witness) => this.#isWitnessed(witness, row))',
    'holds(node.cond, row, () => true)',
  ),
  bug(1, 'pins are not inherited by equality but by presence', 'judge.ts', 'row[column] === value', 'row[column] !== value'),
  bug(7, 'a rebuilt replica starts below its old versions', 'engine.ts', 'Math.max(startVersion, versions.current + 1)', 'startVersion'),
  bug(15, 'pruning forgets the log only', 'engine.ts', 'versions.raiseFloor(raised)', ''),
  bug(
    1,
    'every member counts as held',
    'query-step.ts',
    'return isLinked && this.#isStill(node) && this.#isReachable(node, old) && this.#judge.isLocal(node, old)',
    'return true',
  ),
  bug(2, 'held whatever it was itself', 'query-step.ts', '&& this.#isReachable(node, old) && this.#judge.isLocal(node, old)', ''),
  bug(9, 'held although it moved', 'query-step.ts', 'return isLinked && this.#isStill(node)', 'return this.#isStill(node)'),
  bug(1, 'of two updates the columns of the last', 'recent.ts', '[...new Set([...(earlier ?? []), ...written])]', 'written'),
]

/** What passes queries by whose one row has not changed. */
const pinnedBugs: readonly Bug[] = [
  bug(10, 'where a row was does not count', 'scope.ts', 'for (const image of [old, row])', 'for (const image of [row])'),
  bug(1, 'where a row is does not count', 'scope.ts', 'for (const image of [old, row])', 'for (const image of [old])'),
  bug(1, 'of two visits the first is pinned', 'scope.ts', 'first !== undefined && others.every((column) => column === first)', 'first'),
  bug(
    9,
    'either of two keys pins',
    'scope.ts',
    "if (where?.type === 'and') return where.conditions.flatMap(equalitiesOf)",
    "if (where?.type === 'and' || where?.type === 'or') return where.conditions.flatMap(equalitiesOf)",
  ),
  bug(
    1,
    'whatever a key is compared with pins',
    'scope.ts',
    "if (where?.type !== 'simple' || (where.op !== '=' && where.op !== 'IS')) return []",
    "if (where?.type !== 'simple') return []",
  ),
  bug(2, 'pins go down by name', 'scope.ts', 'correlation.childField[at] ?? null', 'at < 0 ? null : column'),
  bug(
    3,
    'a pinned root pins everything',
    'scope.ts',
    'correlation.childField[at] ?? null',
    'correlation.childField[Math.max(at, 0)] ?? null',
  ),
  bug(1, 'tables that are not pinned are passed by', 'scope.ts', "if (column === null) return 'all'", ''),
  bug(1, 'what is below is passed by', 'scope.ts', '[...existsIn(where), ...related]', '[...existsIn(where)]'),
  bug(8, 'witnesses are passed by', 'scope.ts', '[...existsIn(where), ...related]', '[...related]'),
  bug(9, 'a pin that was not read has no queries', 'group.ts', 'if (known !== undefined || this.#isWhole) return', 'return'),
  bug(
    1,
    'a query that came is not looked at',
    'group.ts',
    'if (movedAt(one.edges) > since)',
    'if (one.got <= since && movedAt(one.edges) > since)',
  ),
  bug(1, 'whatever came, came from others', 'group.ts', 'this.#isOwnGot = true', 'this.#newestGot = 0'),
  bug(
    28,
    'a pin is looked up in every group',
    'query-table.ts',
    'and gid = ? and reach = ? and pin = ?`, gid, reach, pin)',
    'and reach = ? and pin = ?`, reach, pin)',
  ),
  bug(11, 'a form is looked up in every group', 'query-table.ts', 'and gid = ? and reach = ?`, gid, reach)', 'and reach = ?`, reach)'),
  bug(2, 'what an earlier release has added is passed by', 'registry.ts', '    this.#takeOver(id)\n', ''),
  bug(1, 'whatever is gone was gone before the sleep', 'group.ts', 'this.#newestGone = table.newestGoneOf(id)', 'this.#newestGone = 0'),
]

const source = join(import.meta.dirname, '../../../worker/sync/engine')
const copies = mkdtempSync(join(tmpdir(), 'planted-bugs-'))

afterAll(() => rmSync(copies, { recursive: true }))

const isLong = Boolean(process.env.PARLEY_LONG)

describe.each([
  ['the property test', shapes, bugs],
  ['the property test of pinned queries', pinnedShapes, pinnedBugs],
] as const)('%s catches', (kind, forms, planted) => {
  const folder = (name: string | number) => join(copies, `${kind}-${name}`)

  test('and an unchanged copy passes', async () => {
    const create = await plant(
      bug(1, 'none', 'engine.ts', 'const DEFAULT_EDGE_HISTORY = 16', 'const DEFAULT_EDGE_HISTORY = 16'),
      folder('none'),
    )
    expect(firstFailure(create, forms, 1, isLong ? 200 : 5)).toBeNull()
  })

  test.each(planted.map((one, i) => [one.name, one, i] as const))('%s', async (_, one, i) => {
    const create = await plant(one, folder(i))
    // A promise was broken; a crash would only show that the replacement is no program.
    const failure = isLong ? firstFailure(create, forms, 1, MAX_HISTORIES) : firstFailure(create, forms, one.seed, one.seed)
    expect(failure).toMatch(/^seed \d+, step \d+: (\[E\d+\]|got |\S+ was got|\S+ went)/)
  })
})

/** The first failure's message, or `null`. */
function firstFailure(create: typeof createEngine, forms: Shapes, from: number, to: number): string | null {
  for (let seed = from; seed <= to; seed++) {
    try {
      runHistory(seed, STEPS, create, null, forms)
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }
  return null
}

async function plant(planted: Bug, copy: string): Promise<typeof createEngine> {
  plantInto(copy, source, planted)
  const module: unknown = await import(/* @vite-ignore */ pathToFileURL(join(copy, 'engine.ts')).href)
  // The copy differs from the engine in one expression, not in its exports.
  return (module as { createEngine: typeof createEngine }).createEngine
}

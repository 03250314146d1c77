// Does the property test detect a broken engine? Each bug is a replacement in one source file of a copy, and histories run until one fails.
// Every run tries the one history that is known to fail; the long run (PARLEY_LONG=1) searches for the first.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import type { createEngine } from '../../../worker/sync/engine/engine.ts'
import { type Bug, bug, plantInto } from '../planted-bug.ts'
import { runHistory } from './history.ts'
import { type Shapes, shapes, singleRowShapes, windowShapes } from './shapes.ts'

/** A bug that is not found in this many histories is not detected. */
const MAX_HISTORIES = 2000
const STEPS = 60

const bugs: readonly Bug[] = [
  bug(1, 'rows below one that left stay', 'sync.ts', 'this.#below(node, old, this.#mayDelete)', 'void old'),
  bug(1, 'rows below one that entered are missing', 'sync.ts', 'this.#below(node, row, this.#put)', 'void row'),
  bug(1, 'a moved row keeps its old children', 'sync.ts', 'node.correlationColumns.every((column) => old[column] === row[column])', 'true'),
  bug(2, 'old images are trusted about matches', 'sync.ts', 'node.existsTables.size > 0 ? reachable : wasMember', 'wasMember'),
  bug(9, 'a flip stops at the first owner', 'sync.ts', "if (parent.kind === 'exists') this.#flip(parent, owner)", ''),
  bug(2, 'owners of a vanished match are not tested', 'sync.ts', 'this.#flip(node, old)', 'void old'),
  bug(2, 'owners of a new match are not tested', 'sync.ts', 'this.#flip(node, row)', 'void row'),
  bug(2, 'a match that moved is not noticed', 'sync.ts', 'was === is && (isCorrelationEqual || !is)', 'was === is'),
  bug(2, 'every owner counts as settled', 'sync.ts', '!changedKeys.has(rowKeyOf(node.table, match))', 'true'),
  bug(9, 'settled in spite of nested matches', 'sync.ts', '!structural.some(({ table }) => node.existsTables.has(table.name))', 'true'),
  bug(
    11,
    'a window that shrank keeps its rows',
    'sync.ts',
    'else if (now !== null) this.#coverage(betweenSql(order, root.alias, now, then), this.#mayDelete)',
    '',
  ),
  bug(
    3,
    'a removed query keeps its rows',
    'sync.ts',
    'else this.#coverage(withinSql(this.#plan.order, this.#plan.root.alias, this.#then), this.#mayDelete)',
    '',
  ),
  bug(5, 'the newest old image counts', 'log.ts', 'entries.find((', 'entries.findLast(('),
  bug(1, 'every update is isNonStructural', 'log.ts', 'row !== null && agrees(old, row)', 'row !== null'),
  bug(
    2,
    'the bound of now bounds every client',
    'sync.ts',
    'const then = boundAt(registered.bounds, since)',
    'const then = currentBound(registered.bounds) as ReturnType<typeof boundAt>',
  ),
  bug(
    292,
    'a forgotten bound is the oldest cached',
    'window.ts',
    "entry === undefined ? 'unknown' : entry[1]",
    'entry === undefined ? (history[0]?.[1] ?? null) : entry[1]',
  ),
  bug(
    51,
    'a window that moved meanwhile is not measured',
    'sync.ts',
    'synced !== null && movedAt(bounds) <= synced.since',
    'synced !== null',
  ),
  bug(
    3,
    'a query without changes covers nothing',
    'sync.ts',
    '?? stepOf(context, registered, currentBound(registered.bounds), ops, [])\n      steps.set(registered, step)',
    '\n      if (!step) return false',
  ),
  bug(16, 'matches do not move windows', 'window.ts', 'root.existsTables.has(table.name) ||', ''),
  bug(2, 'windows never refill', 'window.ts', 'if (comparison > 0) return last', 'if (comparison > 0) return bound'),
  bug(11, 'windows grow beyond their hysteresis', 'window.ts', 'hysteresisOf(window.limit) + 1', 'hysteresisOf(window.limit) + 2'),
  bug(6, 'SQL loses nulls at a bound', 'window.ts', 'part.nullable ? frag', 'part.column === "" ? frag'),
  bug(6, 'null is last', 'plan.ts', 'if (a === null) return -1', 'if (a === null) return 1'),
  bug(4, 'text sorts by UTF-16', 'plan.ts', 'isSurrogate(x) === isSurrogate(y) ? x - y : isSurrogate(x) ? 1 : -1', 'x - y'),
  bug(3, 'a removed query is forgotten at once', 'sync.ts', 'context.registry.removedSince(group, since)', '[] as RegisteredQuery[]'),
  bug(1, 'rows another query covers are deleted', 'sync.ts', ' || isMember(table, row)', ''),
  bug(
    1,
    'changed rows that left are not deleted',
    'sync.ts',
    'if (!isNonStructural && old !== null',
    'if (isNonStructural && old !== null',
  ),
  bug(
    1,
    'correlations of children are not structural',
    'compile.ts',
    'for (const column of [...node.correlationColumns, ...conditionColumns(node.cond)])',
    'for (const column of [...node.childField, ...conditionColumns(node.cond)])',
  ),
  bug(2, 'orders are not structural', 'compile.ts', 'if (node.parent === null) for', 'if (node.parent !== null) for'),
  bug(2, 'memory claims one version more', 'log.ts', 'since < this.#since)', 'since < this.#since - 1)'),
  bug(13, 'removals do not count as versions', 'versions.ts', ', stored?.removed ?? 0)', ')'),
  bug(1, 'children need no parent', 'window.ts', '(node.parent === null || this.#hasParent(node, node.parent, row))', 'true'),
  bug(
    2,
    'root rows need not be within the bound',
    'window.ts',
    'if (node.parent === null && !isWithin(this.#plan.order, row, this.#bound)) return false',
    '',
  ),
  bug(
    1,
    'matches are not tested',
    'window.ts',
    'holds(node.cond, row, (match) => this.#hasExistsMatch(match, row))',
    'holds(node.cond, row, () => true)',
  ),
  bug(1, 'fixedValues are not inherited by equality but by presence', 'window.ts', 'row[column] === value', 'row[column] !== value'),
  bug(7, 'a rebuilt replica starts below its old versions', 'engine.ts', 'Math.max(startVersion, versions.current + 1)', 'startVersion'),
  bug(15, 'pruning forgets the log only', 'engine.ts', 'versions.raiseFloor(raised)', ''),
  bug(
    1,
    'every member counts as held',
    'sync.ts',
    'return isCorrelated && this.#isUnchanged(node) && this.#isReachable(node, old) && this.#membership.isLocal(node, old)',
    'return true',
  ),
  bug(2, 'held whatever it was itself', 'sync.ts', '&& this.#isReachable(node, old) && this.#membership.isLocal(node, old)', ''),
  bug(9, 'held although it moved', 'sync.ts', 'return isCorrelated && this.#isUnchanged(node)', 'return this.#isUnchanged(node)'),
  bug(1, 'of two updates the columns of the last', 'log.ts', '[...new Set([...(earlier ?? []), ...written])]', 'written'),
]

/** Selection of the queries that a change can affect. */
const selectionBugs: readonly Bug[] = [
  bug(2, 'related tables are not read', 'compile.ts', '[...existsIn(where), ...related]', '[...existsIn(where)]'),
  bug(8, 'tables of EXISTS are not read', 'compile.ts', '[...existsIn(where), ...related]', '[...related]'),
  bug(
    100,
    'either of two keys makes a query a single row',
    'compile.ts',
    "if (where?.type === 'and') return",
    "if (where?.type === 'and' || where?.type === 'or') return",
  ),
  bug(
    1,
    'any comparison with a key makes a query a single row',
    'compile.ts',
    "where?.type !== 'simple' || (where.op !== '=' && where.op !== 'IS')",
    "where?.type !== 'simple'",
  ),
  bug(1, 'a query that was added is not affected', 'queries.ts', 'movedAt(bounds) > since ||', ''),
  bug(
    1,
    'a query that was removed before a sleep is not reported',
    'queries.ts',
    'this.#newestRemoval = table.newestRemovalOf(id)',
    'this.#newestRemoval = 0',
  ),
]

/** Added windows of rows of which the client has another window. */
const windowBugs: readonly Bug[] = [
  bug(1, 'a window that is new to the client counts as held', 'sync.ts', 'got <= since && unlimitedAst', 'unlimitedAst'),
  bug(
    599,
    'the client has what the other window had',
    'sync.ts',
    'currentBound(registered.bounds))\n  return bounds',
    'boundAt(registered.bounds, since) as WindowBound)\n  return bounds',
  ),
  bug(5, 'windows of any rows are the same', 'compile.ts', '{ ...ast, limit: ast.limit === 0 ? 0 : undefined }', '{ table: ast.table }'),
  bug(
    3,
    'a window without a bound ends at the bound of the other',
    'sync.ts',
    '(this.#now !== null && compareKeys(order, this.#now, bound) <= 0)',
    'this.#now === null || compareKeys(order, this.#now, bound) <= 0',
  ),
]

const source = join(import.meta.dirname, '../../../worker/sync/engine')
const copies = mkdtempSync(join(tmpdir(), 'planted-bugs-'))

afterAll(() => rmSync(copies, { recursive: true }))

const isLong = Boolean(process.env.PARLEY_LONG)

describe.each([
  ['the property test', shapes, bugs],
  ['the property test of single rows', singleRowShapes, selectionBugs],
  ['the property test of windows', windowShapes, windowBugs],
] as const)('%s catches', (kind, forms, planted) => {
  const folder = (name: string | number) => join(copies, `${kind}-${name}`)

  test('and an unchanged copy passes', async () => {
    const create = await plant(
      bug(1, 'none', 'engine.ts', 'const DEFAULT_BOUND_HISTORY = 16', 'const DEFAULT_BOUND_HISTORY = 16'),
      folder('none'),
    )
    expect(firstFailure(create, forms, 1, isLong ? 200 : 5)).toBeNull()
  })

  test.each(planted.map((one, i) => [one.name, one, i] as const))('%s', async (_, one, i) => {
    const create = await plant(one, folder(i))
    // A check failed. A crash would only show that the replacement is not valid code.
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

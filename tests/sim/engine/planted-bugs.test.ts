// Does the property test notice a broken engine? Each bug is a replacement in one source file of a copy; histories run until
// one fails. Only in the long run: PARLEY_LONG=1.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import type { createEngine } from '../../../worker/sync/engine/engine.ts'
import { runHistory } from './history.ts'

type Bug = { readonly name: string; readonly file: string; readonly from: string; readonly to: string }

/** A bug that survives this many histories survives. */
const MAX_HISTORIES = 2000
const STEPS = 60

const bugs: readonly Bug[] = [
  bug('rows below one that left stay', 'query-step.ts', 'this.#below(node, old, this.#mayDelete)', 'void old'),
  bug('rows below one that entered are missing', 'query-step.ts', 'this.#below(node, row, this.#put)', 'void row'),
  bug('a moved row keeps its old children', 'query-step.ts', 'node.linkage.every((column) => old[column] === row[column])', 'true'),
  bug('old images are trusted about witnesses', 'query-step.ts', 'node.witnessTables.size > 0 ? reachable : wasMember', 'wasMember'),
  bug('a flip stops at the first owner', 'query-step.ts', "if (parent.kind === 'exists') this.#flip(parent, owner)", ''),
  bug('owners of a vanished witness are not judged', 'query-step.ts', 'this.#flip(node, old)', 'void old'),
  bug('owners of a new witness are not judged', 'query-step.ts', 'this.#flip(node, row)', 'void row'),
  bug('a witness that moved is not noticed', 'query-step.ts', 'was === is && (linked || !is)', 'was === is'),
  bug('every owner counts as settled', 'query-step.ts', '!touched.has(rowKeyOf(node.table, witness))', 'true'),
  bug('settled in spite of nested witnesses', 'query-step.ts', '!loud.some(({ table }) => node.witnessTables.has(table.name))', 'true'),
  bug(
    'a window that shrank keeps its rows',
    'query-step.ts',
    'else if (now !== null) this.#coverage(betweenSql(order, root.alias, now, then), this.#mayDelete)',
    '',
  ),
  bug(
    'a removed query keeps its rows',
    'query-step.ts',
    'else this.#coverage(withinSql(this.#plan.order, this.#plan.root.alias, this.#then), this.#mayDelete)',
    '',
  ),
  bug('the newest old image counts', 'changes.ts', 'entries.find((', 'entries.findLast(('),
  bug('every update is quiet', 'changes.ts', 'row !== null && agrees(old, row)', 'row !== null'),
  bug(
    'the edge of now bounds every client',
    'sync.ts',
    'const then = edgeAt(registered.edges, since)',
    'const then = edgeNow(registered.edges) as ReturnType<typeof edgeAt>',
  ),
  bug(
    'a forgotten edge is the oldest remembered',
    'edges.ts',
    "entry === undefined ? 'forgotten' : entry[1]",
    'entry === undefined ? (history[0]?.[1] ?? null) : entry[1]',
  ),
  bug('a query added meanwhile is not measured', 'sync.ts', 'continuation !== null && got <= continuation.since', 'continuation !== null'),
  bug('any cookie continues the last sync', 'sync.ts', 'group.syncedAt === since ?', 'group.syncedAt !== null ?'),
  bug('witnesses do not move windows', 'window.ts', 'root.witnessTables.has(table.name) ||', ''),
  bug('windows never refill', 'window.ts', 'if (reach > 0) return last', 'if (reach > 0) return edge'),
  bug('windows grow beyond their slack', 'window.ts', 'slackOf(window.limit) + 1', 'slackOf(window.limit) + 2'),
  bug('SQL loses nulls at an edge', 'order.ts', 'part.nullable ? frag', 'part.column === "" ? frag'),
  bug('null is last', 'compare.ts', 'if (a === null) return -1', 'if (a === null) return 1'),
  bug('text sorts by UTF-16', 'compare.ts', 'isSurrogate(x) === isSurrogate(y) ? x - y : isSurrogate(x) ? 1 : -1', 'x - y'),
  bug('a gone query is forgotten at once', 'sync.ts', '(gone === null || gone > since)', 'gone === null'),
  bug('rows another query covers are deleted', 'row-ops.ts', ' || isMember(table, row)', ''),
  bug('changed rows that left are not deleted', 'row-ops.ts', 'if (!quiet && image !== null', 'if (quiet && image !== null'),
  bug(
    'correlations of children are not structural',
    'compile.ts',
    'for (const column of [...node.linkage, ...conditionColumns(node.cond)])',
    'for (const column of [...node.childField, ...conditionColumns(node.cond)])',
  ),
  bug('orders are not structural', 'compile.ts', 'if (node.parent === null) for', 'if (node.parent !== null) for'),
  bug('memory claims to reach one version further', 'recent.ts', 'since < this.#since ?', 'since < this.#since - 1 ?'),
  bug('removals do not count as versions', 'versions.ts', ', stored?.gone ?? 0)', ')'),
  bug('children need no parent', 'judge.ts', '(node.parent === null || this.#hasParent(node, node.parent, row))', 'true'),
  bug(
    'root rows need not be within the edge',
    'judge.ts',
    'if (node.parent === null && !isWithin(this.#plan.order, row, this.#edge)) return false',
    '',
  ),
  bug(
    'witnesses are not asked',
    'judge.ts',
    'holds(node.cond, row, (witness) => this.#isWitnessed(witness, row))',
    'holds(node.cond, row, () => true)',
  ),
  bug('pins are not inherited by equality but by presence', 'judge.ts', 'row[column] === value', 'row[column] !== value'),
  bug('a rebuilt replica starts below its old versions', 'engine.ts', 'Math.max(startVersion, versions.current + 1)', 'startVersion'),
  bug('pruning forgets the log only', 'engine.ts', 'versions.raiseFloor(raised)', ''),
]

const source = join(import.meta.dirname, '../../../worker/sync/engine')
const copies = mkdtempSync(join(tmpdir(), 'planted-bugs-'))

afterAll(() => rmSync(copies, { recursive: true }))

describe.runIf(process.env.PARLEY_LONG)('the property test catches', () => {
  test('and an unchanged copy passes', async () => {
    const create = await plant(
      bug('none', 'engine.ts', 'const DEFAULT_EDGE_HISTORY = 16', 'const DEFAULT_EDGE_HISTORY = 16'),
      join(copies, 'none'),
    )
    expect(firstFailure(create, 200)).toBeNull()
  })

  test.each(bugs.map((planted, i) => [planted.name, planted, i] as const))('%s', async (_, planted, i) => {
    const create = await plant(planted, join(copies, String(i)))
    // A promise was broken; a crash would only show that the replacement is no program.
    expect(firstFailure(create, MAX_HISTORIES)).toMatch(/^seed \d+, step \d+: (\[E\d\]|got |\S+ was got|\S+ went)/)
  })
})

/** The first failure's message, or `null`. */
function firstFailure(create: typeof createEngine, histories: number): string | null {
  for (let seed = 1; seed <= histories; seed++) {
    try {
      runHistory(seed, STEPS, create, null)
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }
  return null
}

async function plant({ file, from, to }: Bug, copy: string): Promise<typeof createEngine> {
  cpSync(source, copy, { recursive: true })
  const text = readFileSync(join(copy, file), 'utf8')
  if (text.split(from).length !== 2) throw new Error(`${file} must contain exactly once: ${from}`)
  writeFileSync(
    join(copy, file),
    text.replace(from, () => to),
  )
  const planted: unknown = await import(/* @vite-ignore */ pathToFileURL(join(copy, 'engine.ts')).href)
  // The copy differs from the engine in one expression, not in its exports.
  return (planted as { createEngine: typeof createEngine }).createEngine
}

function bug(name: string, file: string, from: string, to: string): Bug {
  return { name, file, from, to }
}

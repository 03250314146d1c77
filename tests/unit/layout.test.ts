// Enforces the layout: imports, file names and forbidden words. The rules are data in tests/support/import-rules.ts.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { rootDir } from '../../scripts/lib/paths.ts'
import { circlesOf, edgesOf, readSources } from '../support/import-graph.ts'
import { sourceViolations, violationOf } from '../support/import-rules.ts'

const halves = readSources(rootDir, ['worker', 'web'])
const everything = [...halves, ...readSources(rootDir, ['scripts', 'tests'])]

const edge = (from: string, to: string) => ({ from, to, isPackage: !/^(worker|web)\//.test(to), isTypeOnly: false })

test('every import of worker/ and web/ is allowed', () => {
  const violations = halves.flatMap(edgesOf).map(violationOf)
  expect(violations.filter((violation) => violation !== null)).toEqual([])
})

test('no import circle in worker/', () => {
  expect(circlesOf(halves.filter(({ path }) => path.startsWith('worker/')).flatMap(edgesOf))).toEqual([])
})

test('every imported file exists', () => {
  const missing = halves.flatMap(edgesOf).filter(({ to, isPackage }) => !isPackage && !existsSync(join(rootDir, to)))
  expect(missing.map(({ from, to }) => `${from} → ${to}`)).toEqual([])
})

test('every file has a specific name, and no forbidden words', () => {
  expect(everything.flatMap(sourceViolations)).toEqual([])
})

test('the top level matches the layout', () => {
  const folders = readdirSync(rootDir, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
  const known = ['worker', 'web', 'migrations', 'tests', 'scripts', 'docs', 'node_modules', 'dist']
  expect(folders.filter((name) => !name.startsWith('.') && !known.includes(name))).toEqual([])
})

describe('the rules detect violations', () => {
  test.each([
    ['worker/api/threads.ts', 'drizzle-orm/sqlite-core'],
    ['worker/api/threads.ts', 'worker/sync/engine/log.ts'],
    ['worker/chat/turn.ts', 'hono'],
    ['worker/chat/turn.ts', 'worker/billing/plans.ts'],
    ['worker/chat/turn.ts', 'worker/api/threads.ts'],
    ['worker/db/threads.ts', 'worker/auth/session.ts'],
    ['worker/contract/access.ts', 'worker/lib/clock.ts'],
    ['worker/contract/queries.ts', 'zod'],
    ['worker/contract/ids.ts', 'node:crypto'],
    ['worker/lib/ids.ts', 'worker/contract/ids.ts'],
    ['worker/app.ts', 'web/main.ts'],
    ['worker/bindings.ts', 'worker/chat/generation-object.ts'],
    ['worker/settings.ts', 'worker/user-sync/rpc.ts'],
    ['worker/chat/model/providers.ts', 'worker/dev/demo-model.ts'],
    ['worker/stray.ts', 'worker/lib/ids.ts'],
    ['worker/sync/push/serve-push.ts', 'worker/contract/errors.ts'],
    ['worker/sync/pull/pull.ts', 'worker/db/feed.ts'],
    ['worker/sync/pull/pull.ts', 'worker/turns/turns.ts'],
    ['worker/sync/state/meta.ts', 'worker/sync/object/context.ts'],
    ['worker/turns/turns.ts', 'worker/first-page/first-page.ts'],
    ['worker/turns/turns.ts', 'worker/user-sync/d1-source.ts'],
    ['web/features/chat/thread/view.tsx', 'web/features/palette/box.tsx'],
    ['web/features/chat/message/view.tsx', 'web/features/chat/thread/view.tsx'],
    ['web/features/chat/thread/view.tsx', '@rocicorp/zero/react'],
    ['web/features/chat/thread/view.tsx', 'worker/db/threads.ts'],
    ['web/features/chat/thread/view.tsx', 'web/routes/index.tsx'],
    ['web/ui/button.tsx', 'web/sync/client.ts'],
    ['web/ui/button.tsx', 'worker/contract/access.ts'],
    ['web/lib/dates.ts', 'web/sync/rows.ts'],
  ])('%s may not import %s', (from, to) => {
    expect(violationOf(edge(from, to))).toContain(`${from}`)
  })

  test.each([
    ['worker/api/threads.ts', 'worker/chat/turn.ts'],
    ['worker/sync/push/serve-push.ts', 'worker/sync/engine/log.ts'],
    ['worker/contract/queries.ts', 'zod/mini'],
    ['web/features/chat/thread/view.tsx', 'web/features/chat/message/part.tsx'],
    ['web/features/chat/thread/view.tsx', 'worker/contract/access.ts'],
    ['web/sync/client.ts', '@rocicorp/zero'],
  ])('%s may import %s', (from, to) => {
    expect(violationOf(edge(from, to))).toBeNull()
  })

  test('finds a circle through several files', () => {
    const edges = [edge('worker/a.ts', 'worker/b.ts'), edge('worker/b.ts', 'worker/c.ts'), edge('worker/c.ts', 'worker/b.ts')]
    expect(circlesOf(edges)).toEqual(['worker/b.ts → worker/c.ts → worker/b.ts'])
  })

  test('every import syntax is read', () => {
    const text = [
      "import './a.ts'",
      "import { b } from '../lib/b.ts'",
      "import type { C } from './c.ts'",
      "import {\n  d,\n} from './d.ts'",
      "export { e } from './e.ts'",
      "const f = await import('./f.ts')",
      "import g from 'package/part'",
    ].join('\n')
    const edges = edgesOf({ path: 'web/features/x.ts', text })
    expect(edges.map(({ to }) => to).sort()).toEqual([
      'package/part',
      'web/features/a.ts',
      'web/features/c.ts',
      'web/features/d.ts',
      'web/features/e.ts',
      'web/features/f.ts',
      'web/lib/b.ts',
    ])
    expect(edges.filter(({ isTypeOnly }) => isTypeOnly).map(({ to }) => to)).toEqual(['web/features/c.ts'])
  })

  test('unspecific names and forbidden words are found', () => {
    expect(sourceViolations({ path: 'web/lib/utils.ts', text: '' })).toHaveLength(1)
    expect(sourceViolations({ path: 'web/ui/index.ts', text: '' })).toHaveLength(1)
    expect(sourceViolations({ path: 'worker/index.ts', text: '' })).toEqual([])
    expect(sourceViolations({ path: 'worker/db/threads.ts', text: 'function read(request: Request) {}' })).toHaveLength(1)
    expect(sourceViolations({ path: 'worker/db/threads.ts', text: '// a Request never comes here' })).toEqual([])
    expect(sourceViolations({ path: 'worker/db/threads.ts', text: "db.prepare('select 1')" })).toHaveLength(1)
    expect(sourceViolations({ path: 'worker/db/feed.ts', text: "db.prepare('select 1')" })).toEqual([])
  })
})

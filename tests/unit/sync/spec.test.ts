// A rule without a test is a wish: every id of worker/sync/SPEC.md stands in the name of a test.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { rootDir } from '../../../scripts/lib/paths.ts'
import { readSources } from '../../support/import-graph.ts'

test('every rule is quoted by a test, and every quoted rule exists', () => {
  const spec = readFileSync(join(rootDir, 'worker/sync/SPEC.md'), 'utf8')
  const rules = [...spec.matchAll(/^- \*\*([A-Z]\d+)/gm)].map(([, id]) => id)
  const tests = readSources(rootDir, ['tests']).filter(({ path }) => path.endsWith('.test.ts'))
  const quoted = tests.flatMap(({ text }) =>
    [...text.matchAll(/['"`](?:\[[A-Z]\d+\] ?)+/g)].flatMap(([ids]) => ids.match(/[A-Z]\d+/g) ?? []),
  )
  expect(rules.length).toBeGreaterThan(40)
  expect(new Set(rules).size).toBe(rules.length)
  expect([...new Set(quoted)].sort()).toEqual(rules.sort())
})

test('every test that a table of it names is there', () => {
  const spec = readFileSync(join(rootDir, 'worker/sync/SPEC.md'), 'utf8')
  const named = [...spec.matchAll(/`((?:unit|workerd|sim|product|e2e|web)\/[\w/-]+|…-\w+)`/g)].map(([, name = '']) => name)
  let before = ''
  const paths = named.map((name) => {
    before = name.replace('…', before.replace(/-[^-]*$/, ''))
    return `tests/${before}`
  })
  expect(paths.length).toBeGreaterThan(50)
  const missing = paths.filter((path) => !['', '.test.ts', '.test.tsx'].some((ending) => existsSync(join(rootDir, path + ending))))
  expect(missing).toEqual([])
})

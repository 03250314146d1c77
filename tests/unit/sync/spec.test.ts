// Every rule of a SPEC.md is named by a test, and no test or comment names a rule that does not exist.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { rootDir } from '../../../scripts/lib/paths.ts'
import { readSources } from '../../support/import-graph.ts'

const specs = readdirSync(join(rootDir, 'worker'))
  .map((folder) => join(rootDir, 'worker', folder, 'SPEC.md'))
  .filter((path) => existsSync(path))
  .map((path) => readFileSync(path, 'utf8'))

const rules = specs.flatMap((spec) => [...spec.matchAll(/^\*\*([A-Z]\d+) /gm)].map(([, id = '']) => id))

test('every rule has one definition and is named by a test', () => {
  const tests = readSources(rootDir, ['tests']).filter(({ path }) => /\.test\.tsx?$/.test(path))
  const named = tests.flatMap(({ text }) =>
    [...text.matchAll(/['"`](?:\[[A-Z]\d+\] ?)+/g)].flatMap(([ids]) => ids.match(/[A-Z]\d+/g) ?? []),
  )
  expect(rules.length).toBeGreaterThan(40)
  expect(new Set(rules).size).toBe(rules.length)
  expect([...new Set(named)].sort()).toEqual(rules.toSorted())
})

test('the rules of a letter are numbered from 1 without gaps, in the order of the text', () => {
  for (const [letter, ids] of Map.groupBy(rules, (id) => id.charAt(0))) expect(ids).toEqual(Array.from(ids, (_, i) => `${letter}${i + 1}`))
})

test('every rule that a comment or a SPEC.md names exists', () => {
  const sources = readSources(rootDir, ['worker', 'tests'])
  const inComments = sources.flatMap(({ text }) => [...text.matchAll(/SPEC(?:\.md)? ([A-Z]\d+(?:(?:, | to | and )[A-Z]\d+)*)/g)])
  const inSpecs = specs.flatMap((spec) => [...spec.matchAll(/\(([A-Z]\d+(?:(?:, | to | and )[A-Z]\d+)*)\)/g)])
  const named = [...inComments, ...inSpecs].flatMap(([, ids = '']) => ids.match(/[A-Z]\d+/g) ?? [])
  expect(named.length).toBeGreaterThan(20)
  expect([...new Set(named)].filter((id) => !rules.includes(id))).toEqual([])
})

test('every test that a table of a SPEC.md names exists', () => {
  const named = specs.flatMap((spec) =>
    [...spec.matchAll(/`((?:unit|workerd|sim|product|e2e|web)\/[\w/-]+|…-\w+)`/g)].map(([, name = '']) => name),
  )
  let before = ''
  const paths = named.map((name) => {
    before = name.replace('…', before.replace(/-[^-]*$/, ''))
    return `tests/${before}`
  })
  expect(paths.length).toBeGreaterThan(50)
  const missing = paths.filter((path) => !['', '.test.ts', '.test.tsx'].some((ending) => existsSync(join(rootDir, path + ending))))
  expect(missing).toEqual([])
})

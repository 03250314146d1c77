// What `npm run check` finds in package-lock.json.
import { expect, test } from 'vitest'
import { lockProblems } from '../../../scripts/lib/lock-file.ts'

const lockOf = (packages: object) => JSON.stringify({ packages })

test('an optional package without an entry is named, because `npm ci` refuses such a lock file', () => {
  const bundler = { version: '1.0.0', optionalDependencies: { watcher: '1.0.0', clock: '1.0.0' } }
  expect(lockProblems(lockOf({ '': {}, 'node_modules/bundler': bundler, 'node_modules/bundler/node_modules/watcher': {} }))).toEqual([
    'package-lock.json has no clock, so `npm ci` fails; remove it from optionalDependencies of node_modules/bundler',
  ])
})

test('addresses of a registry are refused', () => {
  expect(lockProblems(lockOf({ 'node_modules/a': { resolved: 'https://registry.example/a.tgz' } }))).toEqual([
    expect.stringContaining('package-lock.json has "resolved"'),
  ])
})

// Change detection by content hashes, and locks held by living processes.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { underLock } from '../../../scripts/lib/lock.ts'
import { hashOf, stamp } from '../../../scripts/lib/sources.ts'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'parley-sources-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

test('a hash depends on contents, names and settings, not on times', () => {
  const file = join(directory, 'a.ts')
  const hash = (extra: string[] = []) => hashOf([directory], extra, '/')
  writeFileSync(file, 'one')
  const first = hash()
  utimesSync(file, 0, 0)
  expect(hash()).toBe(first)
  expect(hash(['SETTING=1'])).not.toBe(first)
  writeFileSync(file, 'two')
  expect(hash()).not.toBe(first)
  writeFileSync(file, 'one')
  writeFileSync(join(directory, 'b.ts'), '')
  expect(hash()).not.toBe(first)
})

test('build output is not a source', () => {
  writeFileSync(join(directory, 'a.ts'), 'one')
  const first = hashOf([directory], [], '/')
  mkdirSync(join(directory, '.wrangler', 'deploy'), { recursive: true })
  writeFileSync(join(directory, '.wrangler', 'deploy', 'config.json'), '{}')
  expect(hashOf([directory], [], '/')).toBe(first)
})

test('a stamp is fresh only for its stored hash', () => {
  const file = join(directory, 'deep', 'stamp')
  expect(stamp(file, 'a').isUpToDate()).toBe(false)
  stamp(file, 'a').remember()
  expect(stamp(file, 'a').isUpToDate()).toBe(true)
  expect(stamp(file, 'b').isUpToDate()).toBe(false)
})

test('work under one lock never overlaps', async () => {
  const path = join(directory, 'lock')
  const log: string[] = []
  const work = (name: string) =>
    underLock(path, async () => {
      log.push(`${name} in`)
      await new Promise((resolve) => setImmediate(resolve))
      log.push(`${name} out`)
    })
  await Promise.all([work('a'), work('b')])
  expect(log).toEqual(['a in', 'a out', 'b in', 'b out'])
})

test('a lock whose holder was killed is taken over', async () => {
  const path = join(directory, 'lock')
  const { pid } = spawnSync(process.execPath, ['--version'])
  symlinkSync(String(pid), path)
  expect(await underLock(path, async () => 'mine')).toBe('mine')
})

test('processes that take one lock concurrently each get it once', async () => {
  const count = join(directory, 'count')
  writeFileSync(count, '0')
  const program = `
    import { readFileSync, writeFileSync } from 'node:fs'
    import { underLock } from ${JSON.stringify(new URL('../../../scripts/lib/lock.ts', import.meta.url).href)}
    for (let turn = 0; turn < 500; turn++) {
      await underLock(process.argv[1], async () => writeFileSync(process.argv[2], String(Number(readFileSync(process.argv[2], 'utf8')) + 1)))
    }`
  const args = ['--input-type=module', '--eval', program, join(directory, 'lock'), count]
  const exits = await Promise.all([1, 2, 3, 4].map(() => once(spawn(process.execPath, args, { stdio: 'inherit' }), 'exit')))
  expect(exits.map(([code]) => code)).toEqual([0, 0, 0, 0])
  expect(readFileSync(count, 'utf8')).toBe('2000')
})

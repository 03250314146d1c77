// "Has anything changed?" is answered by contents, and a lock is held by the living.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
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

test('a hash follows contents, names and settings, and no times', () => {
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

test('what a build leaves beside its sources is no source', () => {
  writeFileSync(join(directory, 'a.ts'), 'one')
  const first = hashOf([directory], [], '/')
  mkdirSync(join(directory, '.wrangler', 'deploy'), { recursive: true })
  writeFileSync(join(directory, '.wrangler', 'deploy', 'config.json'), '{}')
  expect(hashOf([directory], [], '/')).toBe(first)
})

test('a stamp is fresh only for the hash it remembered', () => {
  const file = join(directory, 'deep', 'stamp')
  expect(stamp(file, 'a').isFresh()).toBe(false)
  stamp(file, 'a').remember()
  expect(stamp(file, 'a').isFresh()).toBe(true)
  expect(stamp(file, 'b').isFresh()).toBe(false)
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
  mkdirSync(path)
  writeFileSync(join(path, 'pid'), String(pid))
  expect(await underLock(path, async () => 'mine')).toBe('mine')
})

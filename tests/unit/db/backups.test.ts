// Daily exports of D1 to R2, with a stand-in of Cloudflare's API that misbehaves.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Env } from '../../../worker/bindings.ts'
import { type Backups, storeDueBackup } from '../../../worker/db/backups.ts'
import { checkBackups } from '../../../worker/setup/backups.ts'
import { MemoryBucket } from '../../support/memory-bucket.ts'
import { createNodeD1 } from '../../support/node-d1.ts'
import { type ExportBehaviour, type ExportPeer, startExportPeer } from '../../support/peers/d1-export.ts'
import { silenceLogs } from '../../support/silence-logs.ts'

silenceLogs()

const hourMs = 60 * 60 * 1000
const at = (time: string) => Date.parse(`${time}Z`)
const night = at('2026-11-29T03:10')

let peer: ExportPeer
let bucket: MemoryBucket
let env: Env
beforeEach(async () => {
  peer = await startExportPeer()
  peer.file = 'PRAGMA defer_foreign_keys=TRUE;\n'
  bucket = new MemoryBucket()
  env = { DB: createNodeD1(), FILES: bucket.bucket } as unknown as Env
})
afterEach(() => peer.stop())

const backups = (fields: Partial<Backups> = {}): Backups => ({
  ...{ token: peer.token, accountId: 'a', databases: ['parley'], copies: 3, hour: 3, url: peer.url },
  ...fields,
})
/** Like the scheduled work, which logs a failure and continues. */
const run = (nowMs = night, fields: Partial<Backups> = {}) => storeDueBackup(env, backups(fields), nowMs, 0)
const stored = () => [...bucket.objects.keys()].sort()
const lastNights = () => {
  for (const day of [26, 27, 28]) bucket.objects.set(`backups/parley/2026-11-${day}.sql`, Buffer.from('earlier'))
}

test('stores the export once a day, after the hour', async () => {
  expect(await run(at('2026-11-29T02:59'))).toBe(0)
  expect(await run()).toBe(1)
  expect(await run(night + hourMs)).toBe(0)
  expect([stored(), peer.started]).toEqual([['backups/parley/2026-11-29.sql'], 1])
  expect(Buffer.from(bucket.objects.get('backups/parley/2026-11-29.sql') ?? []).toString()).toBe(peer.file)
})

test('a window over midnight has the date of its beginning, and by day no export starts', async () => {
  expect(await run(at('2026-11-30T01:00'), { hour: 22 })).toBe(1)
  expect(stored()).toEqual(['backups/parley/2026-11-29.sql'])
  expect(await run(at('2026-11-30T04:00'), { hour: 22 })).toBe(0)
  expect(await run(at('2026-11-30T21:00'), { hour: 22 })).toBe(0)
})

test('stores a file of several parts unchanged', async () => {
  peer.file = `PRAGMA x;\n${'äbc\n'.repeat(4_000_000)}`
  expect(await run()).toBe(1)
  expect(Buffer.compare(bucket.objects.get('backups/parley/2026-11-29.sql') ?? Buffer.alloc(0), Buffer.from(peer.file))).toBe(0)
})

test('one database in a run, the next one in the next run', async () => {
  const databases = ['parley', 'parley-content-2']
  expect([await run(night, { databases }), await run(night, { databases }), await run(night, { databases })]).toEqual([1, 1, 0])
  expect(stored()).toEqual(['backups/parley-content-2/2026-11-29.sql', 'backups/parley/2026-11-29.sql'])
})

test('keeps the newest copies and other objects', async () => {
  lastNights()
  bucket.objects.set('backups/parley/2026-11-01.sql', Buffer.from('older'))
  for (const kept of ['backups/parley/2020-01-01 by hand.sql', 'files/2020-01-01.sql', 'backups/parley-content-2/2020-01-01.sql'])
    bucket.objects.set(kept, Buffer.from('kept'))
  await run()
  expect(stored()).toEqual([
    ...['backups/parley-content-2/2020-01-01.sql', 'backups/parley/2020-01-01 by hand.sql'],
    ...['backups/parley/2026-11-27.sql', 'backups/parley/2026-11-28.sql', 'backups/parley/2026-11-29.sql', 'files/2020-01-01.sql'],
  ])
})

describe('failures', () => {
  test.each<[string, ExportBehaviour, RegExp]>([
    ['no such database', { fails: 'start' }, /no D1 database named parley/],
    ['the export has no bookmark', { fails: 'bookmark' }, /no bookmark/],
    ['the export fails', { fails: 'export' }, /D1 was reset/],
    ['the polls fail', { polls: 9, failedPolls: [1, 2, 3, 4, 5] }, /status 500/],
    ['the export never ends', { polls: 1000 }, /did not end within 600 polls/],
    ['the file is refused', { fails: 'file' }, /status 403/],
    ['the file is a page', { fails: 'page' }, /not SQL/],
    ['the file is empty', { fails: 'empty-file' }, /empty/],
    ['the file ends half-way', { fails: 'half-file' }, /terminated/],
  ])('%s: stores and deletes nothing, and repeats after an hour', async (_name, behaviour, reason) => {
    peer.file = `PRAGMA x;\n${'x'.repeat(9_000_000)}`
    lastNights()
    peer.behaviour = behaviour
    await expect(run()).rejects.toThrow(reason)
    expect([stored().length, bucket.openUploads]).toEqual([3, 0])
    peer.behaviour = {}
    const { started } = peer
    expect([await run(night + hourMs - 1), peer.started]).toEqual([0, started])
    expect(await run(night + hourMs)).toBe(1)
    expect(stored()).toEqual(['backups/parley/2026-11-27.sql', 'backups/parley/2026-11-28.sql', 'backups/parley/2026-11-29.sql'])
  })

  test('a single failed poll does not end the export', async () => {
    peer.behaviour = { polls: 6, failedPolls: [1, 2, 4, 5] }
    expect(await run()).toBe(1)
    expect(peer.started).toBe(1)
  })

  test.each(['createMultipartUpload', 'head', 'list'] as const)(
    'a run that is killed in %s is made up for by a later one',
    async (step) => {
      lastNights()
      const dies = new Proxy(bucket, {
        get: (target, name) => (name === step ? () => Promise.reject(new Error('killed')) : Reflect.get(target, name).bind?.(target)),
      })
      await expect(storeDueBackup({ ...env, FILES: dies as unknown as R2Bucket }, backups(), night, 0)).rejects.toThrow('killed')
      await run(night + hourMs)
      expect(stored().slice(-3)).toEqual([
        'backups/parley/2026-11-27.sql',
        'backups/parley/2026-11-28.sql',
        'backups/parley/2026-11-29.sql',
      ])
    },
  )
})

test('without a token or a bucket nothing is exported', async () => {
  expect(await storeDueBackup(env, null, night, 0)).toBe(0)
  expect(await storeDueBackup({ DB: env.DB }, backups(), night, 0)).toBe(0)
  expect(peer.started).toBe(0)
})

describe('the check of the setup page', () => {
  const check = (fields: Partial<Backups> = {}, nowMs = night) => checkBackups(env, backups(fields), nowMs)

  test('reports the newest backup, a missing one and one that is too old', async () => {
    expect(await check()).toEqual({ state: 'warning', detail: expect.stringContaining('has no backup yet') })
    await run()
    expect(await check()).toEqual({ state: 'works', detail: 'Newest: parley of 2026-11-29.' })
    expect(await check({}, night + 48 * hourMs)).toMatchObject({ state: 'wrong', detail: expect.stringContaining('is of 2026-11-29') })
  })

  test('reports a wrong token and a database without a name', async () => {
    const refused = await check({ token: 'a-wrong-token' })
    expect(refused).toMatchObject({ state: 'wrong', detail: 'parley: Cloudflare responds with status 403 (10000 Authentication error).' })
    expect(await check({ databases: ['parley', 'b'] })).toMatchObject({ state: 'wrong', detail: expect.stringContaining('names 2') })
  })
})

/**
 * A deployment that is cut off at any call, before it was done or after, time and again: what is made is made once, every migration is
 * applied once and whole, and in the end all of it is there. The upload itself is wrangler's; tests/product/deploy-trouble.test.ts kills that.
 */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Cloudflare, cloudflareApi } from '../../../scripts/deploy/cloudflare-api.ts'
import { applyRemoteMigrations } from '../../../scripts/deploy/remote-migrations.ts'
import { ensureResources, writeId } from '../../../scripts/deploy/resources.ts'
import { migrationNames } from '../../../scripts/lib/migration-files.ts'
import { wranglerFile } from '../../../scripts/lib/paths.ts'
import { readWranglerConfig } from '../../../scripts/lib/wrangler-config.ts'
import { migratedDb } from '../../support/migrated-db.ts'
import { type CloudflarePeer, startCloudflarePeer } from '../../support/peers/cloudflare.ts'
import { createRng, type Rng } from '../../support/rng.ts'

const seeds = process.env.PARLEY_LONG ? 200 : 12
const noWait = async () => undefined

async function deployOnce(cloudflare: Cloudflare, file: string): Promise<void> {
  const config = readWranglerConfig(file)
  const ids = await ensureResources(cloudflare, config, true, (_what, id) => id && writeId(file, id.placeholder, id.id))
  await applyRemoteMigrations(cloudflare, ids.DB ?? '', { note: () => undefined, wait: noWait })
}

/** After this many calls everything is torn, the last one either before or after it was done. Losing single answers is not the end. */
function cutAfter(peer: CloudflarePeer, calls: number, rng: Rng): void {
  let left = calls
  peer.watch = () => {
    left -= 1
    if (left < 0) return 'hang-up'
    if (left === 0) return rng.chance(0.5) ? 'lost' : 'hang-up'
    return rng.chance(0.1) ? 'lost' : undefined
  }
}

const schemaOf = (sqlite: ReturnType<typeof migratedDb>) =>
  sqlite.prepare("select name, sql from sqlite_master where name <> 'd1_migrations' and name not like 'sqlite_%' order by name").all()

test.each(Array.from({ length: seeds }, (_, seed) => seed))('seed %i ends whole', async (seed) => {
  const rng = createRng(seed)
  const dir = mkdtempSync(join(tmpdir(), 'parley-cuts-'))
  const peer = await startCloudflarePeer()
  try {
    const file = join(dir, 'wrangler.jsonc')
    copyFileSync(wranglerFile, file)
    const { account, url, token } = peer
    const cloudflare = cloudflareApi({ accountId: account.id, token, baseUrl: url, wait: noWait })
    let cuts = 0
    for (let isDone = false; !isDone; cuts++) {
      cutAfter(peer, 1 + rng.below(40), rng)
      isDone = await deployOnce(cloudflare, file).then(
        () => true,
        () => false,
      )
      expect(cuts).toBeLessThan(500)
    }
    const { databases, namespaces, buckets } = account
    const [database] = databases
    if (!database) throw new Error('there is no database')
    expect([databases.length, namespaces.length, buckets.length]).toEqual([1, 1, 1])
    const applied = database.sqlite.prepare('select name from d1_migrations order by id').all()
    expect(applied.map(({ name }) => name)).toEqual(migrationNames())
    expect(schemaOf(database.sqlite)).toEqual(schemaOf(migratedDb()))
    const { d1_databases, kv_namespaces } = readWranglerConfig(file)
    expect([d1_databases[0]?.database_id, kv_namespaces[0]?.id]).toEqual([database.uuid, namespaces[0]?.id])
  } finally {
    await peer.stop()
    rmSync(dir, { recursive: true })
  }
})

test('an answer that is lost after its migration was applied is no failure', async () => {
  const peer = await startCloudflarePeer()
  const dir = mkdtempSync(join(tmpdir(), 'parley-cuts-'))
  try {
    const file = join(dir, 'wrangler.jsonc')
    copyFileSync(wranglerFile, file)
    const { account, url, token } = peer
    let imports = 0
    // Every import is asked to begin, told to go on and asked whether it is done. The second call applies it.
    peer.watch = (line) => (line.endsWith('/import') && ++imports === 2 ? 'lost' : undefined)
    await deployOnce(cloudflareApi({ accountId: account.id, token, baseUrl: url, wait: noWait }), file)
    expect(imports).toBeGreaterThan(2)
  } finally {
    await peer.stop()
    rmSync(dir, { recursive: true })
  }
})

test('a name that is taken but not to be seen is the refusal that Cloudflare gave', async () => {
  const peer = await startCloudflarePeer()
  try {
    const { account, url, token } = peer
    peer.misbehave('POST /d1/database', { status: 400, code: 7502, message: "Database with name 'parley' already exists" })
    const cloudflare = cloudflareApi({ accountId: account.id, token, baseUrl: url, wait: noWait })
    const deployed = ensureResources(cloudflare, readWranglerConfig(wranglerFile), true, () => undefined)
    await expect(deployed).rejects.toThrow("would not make the D1 database parley: Database with name 'parley' already exists [7502]")
  } finally {
    await peer.stop()
  }
})

test('a Cloudflare that stays busy is given up on, after the waits that it asks for', async () => {
  const peer = await startCloudflarePeer()
  try {
    const { account, url, token } = peer
    const waits: number[] = []
    const wait = async (ms: number) => void waits.push(ms)
    const busy = {
      status: 429,
      code: 971,
      message: 'Please wait and consider throttling your request rate',
      headers: { 'retry-after': '7' },
    }
    peer.misbehave('GET /d1/database', ...Array.from({ length: 9 }, () => busy))
    const cloudflare = cloudflareApi({ accountId: account.id, token, baseUrl: url, wait })
    const deployed = ensureResources(cloudflare, readWranglerConfig(wranglerFile), true, () => undefined)
    await expect(deployed).rejects.toThrow(/asks for fewer requests: .* \[971\]\. Wait five minutes and run it again/)
    expect(waits).toEqual([7000, 7000, 7000])
  } finally {
    await peer.stop()
  }
})

test('lists are read to their end', async () => {
  const peer = await startCloudflarePeer()
  try {
    const { account, url, token } = peer
    for (let index = 0; index < 120; index++) account.namespaces.push({ id: String(index), title: `another-${index}` })
    account.namespaces.push({ id: 'ours', title: 'parley-first-pages' })
    const cloudflare = cloudflareApi({ accountId: account.id, token, baseUrl: url, wait: noWait })
    expect(await ensureResources(cloudflare, readWranglerConfig(wranglerFile), true, () => undefined)).toMatchObject({
      FIRST_PAGES: 'ours',
    })
  } finally {
    await peer.stop()
  }
})

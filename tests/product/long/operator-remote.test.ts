// The operator's scripts in a loopback Cloudflare account, with the real wrangler.
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { rootDir } from '../../../scripts/lib/paths.ts'
import { migratedDb } from '../../support/migrated-db.ts'
import { storageLimits } from '../../support/node-sql.ts'
import { startCloudflarePeer } from '../../support/peers/cloudflare.ts'

const id = 'sharedSharedSharedAAA'
const rows = `insert into thread (id, userId, title, status, createdAt, updatedAt) values ('thread', 'ada', 'Tea', 'ready', 1, 1);
insert into message (id, threadId, userId, message, createdAt, updatedAt) values ('question', 'thread', 'ada', '{}', 1, 1);
insert into share (id, userId, threadId, messageId, createdAt) values ('${id}', 'ada', 'thread', 'question', 1);`

async function account() {
  const peer = await startCloudflarePeer()
  const home = mkdtempSync(join(tmpdir(), 'operator-'))
  onTestFinished(async () => {
    await peer.stop()
    rmSync(home, { recursive: true, force: true })
  })
  const env = {
    ...{
      PATH: process.env.PATH ?? '',
      HOME: home,
      XDG_CONFIG_HOME: home,
      HTTPS_PROXY: peer.url,
      HTTP_PROXY: peer.url,
      NO_PROXY: '127.0.0.1',
    },
    ...{ CLOUDFLARE_API_BASE_URL: peer.url, CLOUDFLARE_API_TOKEN: peer.token, CLOUDFLARE_ACCOUNT_ID: peer.account.id },
  }
  const run = (name: string, ...args: readonly string[]): Promise<{ status: number | null; output: string }> => {
    const child = spawn(process.execPath, [join(rootDir, 'scripts', name), ...args, '--remote'], { env })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')))
    return new Promise((resolve) => child.once('close', (status) => resolve({ status, output })))
  }
  const add = (sqlite: DatabaseSync) =>
    void peer.account.databases.push({ uuid: randomUUID(), name: 'parley', sqlite, importFile: Buffer.alloc(0) })
  return { home, run, add }
}

test('takes down a shared link of the deployment, once', { timeout: 5 * 60_000 }, async () => {
  const { run, add } = await account()
  const sqlite = migratedDb()
  sqlite.exec(rows)
  add(sqlite)
  const taken = await run('take-down.ts', `https://chat.test/share/${id}`)
  expect(taken, taken.output).toMatchObject({ status: 0, output: expect.stringContaining('took down the link') })
  expect(sqlite.prepare('select revokedAt from share').get()?.revokedAt).toBeGreaterThan(1)
  expect(await run('take-down.ts', id)).toMatchObject({ status: 0, output: expect.stringContaining('already') })
  expect(await run('take-down.ts', "x' or 1=1 --")).toMatchObject({ status: 1, output: expect.stringContaining('name the link as') })
})

test('restores an export into an empty database, and refuses another one', { timeout: 5 * 60_000 }, async () => {
  const { home, run, add } = await account()
  const sqlite = new DatabaseSync(':memory:', { limits: storageLimits })
  add(sqlite)
  const file = join(home, 'export.sql')
  const text = 'x'.repeat(200_000)
  // An export without triggers is refused, because its end may be missing.
  const trigger = "CREATE TRIGGER note_kept BEFORE DELETE ON note BEGIN SELECT RAISE(ABORT, 'kept'); END"
  writeFileSync(
    file,
    `PRAGMA defer_foreign_keys=TRUE;\nCREATE TABLE note (id text primary key, text text);\nINSERT INTO "note" ("id","text") VALUES('a','${text}');\n${trigger};\n`,
  )
  const restored = await run('restore.ts', file)
  expect(restored, restored.output).toMatchObject({ status: 0, output: expect.stringMatching(/note +1 +1\n/) })
  expect(sqlite.prepare('select text from note').all()).toEqual([{ text }])
  expect(await run('restore.ts', file)).toMatchObject({ status: 1, output: expect.stringContaining('is not empty; create a new database') })
})

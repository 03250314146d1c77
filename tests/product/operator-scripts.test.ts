// Scripts of the operator on a local product: the script takes down a shared link, and an export is restored into a new folder.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { executeFile, query } from '../../scripts/lib/d1.ts'
import { rootDir } from '../../scripts/lib/paths.ts'
import { run } from '../../scripts/lib/run.ts'
import { startProduct } from '../support/product.ts'

const [shared, other] = ['sharedSharedSharedAAA', 'otherOtherOtherOther_']
const long = `it''s long; ${'\u{1F600} and more '.repeat(20_000)}`
/** In pieces, because D1 accepts no statement of more than 100 KB. */
const pieces = long.match(/[^']{1,20000}|''/gu) ?? []
const rows = [
  "insert into thread (id, userId, title, status, headId, createdAt, updatedAt) values ('thread', 'ada', 'Tea', 'ready', 'question', 1, 1);",
  `insert into message (id, threadId, userId, message, createdAt, updatedAt)
    values ('question', 'thread', 'ada', '{"id":"","role":"user","parts":[{"type":"text","text":"', 1, 1);`,
  ...pieces.map((piece) => `update message set message = message || '${piece}' where id = 'question';`),
  `update message set message = message || '"}]}' where id = 'question';`,
  ...[shared, other].map(
    (id) => `insert into share (id, userId, threadId, messageId, createdAt) values ('${id}', 'ada', 'thread', 'question', 1);`,
  ),
].join('\n')

function runScript(name: string, stateDir: string, ...args: readonly string[]): Promise<{ status: number | null; output: string }> {
  const child = spawn(process.execPath, [join(rootDir, 'scripts', name), ...args], {
    env: { ...process.env, STATE_DIR: stateDir, CONTENT_DATABASES: '1' },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')))
  return new Promise((resolve) => child.once('close', (status) => resolve({ status, output })))
}

test('takes down a shared link, and restores an export of the database into a new folder', { timeout: 10 * 60_000 }, async () => {
  const dir = mkdtempSync(join(tmpdir(), 'operator-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const [rowsFile, exportFile] = [join(dir, 'rows.sql'), join(dir, 'export.sql')]
  const product = await startProduct({ env: { CONTENT_DATABASES: '1' } })
  onTestFinished(() => product.stop())
  const place = { stateDir: product.stateDir }
  writeFileSync(rowsFile, rows)
  await executeFile(place, 'parley', rowsFile)
  const pageOf = async (id: string, url = product.url) => {
    const response = await fetch(`${url}/share/${id}`)
    return { status: response.status, text: await response.text(), headers: response.headers.get('x-robots-tag') }
  }
  expect((await pageOf(shared)).status).toBe(200)

  const taken = await runScript('take-down.ts', product.stateDir, `${product.url}/share/${shared}`)
  expect(taken).toMatchObject({ status: 0, output: expect.stringContaining('It showed the thread thread of the user ada.') })
  expect(await pageOf(shared)).toEqual(await pageOf('neverNeverNeverNever1'))
  expect((await pageOf(other)).status).toBe(200)
  // The owner's pages learn of it through the feed.
  const changes = await query(place, 'parley', `select op from contentChange where tbl = 'share' and rowId = '${shared}' order by seq`)
  expect(changes.map(({ op }) => op)).toEqual(['i', 'u'])
  expect(await runScript('take-down.ts', product.stateDir, shared)).toMatchObject({ status: 0, output: expect.stringContaining('already') })
  const unknown = await runScript('take-down.ts', product.stateDir, 'neverNeverNeverNever1')
  expect(unknown).toMatchObject({ status: 1, output: expect.stringContaining('no database has the link') })

  // `wrangler d1 export` finds local data only next to its configuration.
  mkdirSync(join(dir, '.wrangler'))
  symlinkSync(product.stateDir, join(dir, '.wrangler', 'state'))
  const config = join(dir, 'wrangler.json')
  const database = { binding: 'DB', database_name: 'parley', database_id: 'parley' }
  writeFileSync(config, JSON.stringify({ name: 'parley', compatibility_date: '2026-10-12', d1_databases: [database] }))
  const exported = await run('wrangler', ['d1', 'export', 'parley', '--local', '--output', exportFile, '--config', config])
  expect(exported.status, exported.output).toBe(0)
  const restoredDir = join(dir, 'restored')
  const restored = await runScript('restore.ts', restoredDir, exportFile)
  expect(restored, restored.output).toMatchObject({ status: 0, output: expect.stringMatching(/message +1 +1\n/) })
  const again = await runScript('restore.ts', restoredDir, exportFile)
  expect(again).toMatchObject({ status: 1, output: expect.stringContaining('is not empty; choose a new STATE_DIR') })

  const copy = await startProduct({ env: { CONTENT_DATABASES: '1' }, stateDir: restoredDir })
  onTestFinished(() => copy.stop())
  const page = await pageOf(other, copy.url)
  expect(page.status).toBe(200)
  expect(page.text).toContain(long.replaceAll("''", '&#39;'))
  expect((await pageOf(shared, copy.url)).status).toBe(404)
})

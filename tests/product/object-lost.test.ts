// The real client, and an object that has lost its storage, or whose history is shorter than the client's absence: no write is lost or
// duplicated, without user action. Rules: worker/sync/SPEC.md, C4, E9, F2.
import { rmSync } from 'node:fs'
import type { Zero } from '@rocicorp/zero'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { mutators } from '../../worker/contract/mutators.ts'
import { queries } from '../../worker/contract/queries.ts'
import { type Guest, newGuest } from '../support/guest.ts'
import { type Product, startProduct } from '../support/product.ts'
import { openRecord, openSyncObjects } from '../support/record-file.ts'
import { countReceived } from './counting-socket.ts'
import { closePages, settledPage } from './observed-page.ts'

const received = countReceived()
let product: Product
beforeAll(async () => {
  product = await startProduct()
})
afterEach(closePages)
afterAll(async () => {
  await product?.stop()
})

/** Deletes the storage of all objects. */
function loseStorage(): void {
  for (const database of openSyncObjects(product.stateDir)) {
    const path = database.location()
    database.close()
    if (path) for (const file of [path, `${path}-wal`, `${path}-shm`]) rmSync(file, { force: true })
  }
}

/** As if enough had happened since that the diffs are deleted. */
function raiseFloors(): void {
  for (const database of openSyncObjects(product.stateDir)) {
    const highest =
      'select max(v) from (select max(v) v from z_log union all select max(got) from z_query union all select max(n) from z_meta)'
    database.exec(`insert into z_meta (k, n) values ('floor', (${highest}) + 1) on conflict (k) do update set n = excluded.n`)
    database.exec('delete from z_log; delete from z_query where gone is not null')
    database.close()
  }
}

function addThreads(guest: Guest, ids: readonly string[]): void {
  const record = openRecord(product.stateDir)
  const sql = "insert into thread (id, userId, title, status, createdAt, updatedAt) values (?, ?, ?, 'ready', 1, 1)"
  for (const id of ids) record.prepare(sql).run(id, guest.userId, id)
  record.close()
}

function removeThread(id: string): void {
  const record = openRecord(product.stateDir)
  record.prepare('delete from thread where id = ?').run(id)
  record.close()
}

const titles = async (zero: Zero) =>
  (await zero.run(queries.threads.list({ limit: 50 }), { type: 'complete' })).map(({ title }) => title).sort()

test.each([
  ['[C4] the storage of the object is lost', loseStorage],
  ['[E9] the log was pruned while the client was offline', raiseFloors],
])('%s: the page keeps its writes, receives new and deleted rows and reports no error', async (_what, happens) => {
  const guest = await newGuest(product.url)
  const names = ['kept', 'removed', 'new'].map((name) => `${name}-${happens.name}-thread`)
  const [kept = '', removed = '', added = ''] = names
  await product.kill9()
  addThreads(guest, [kept, removed])
  await product.restart()
  const page = await settledPage(guest)
  const { zero } = page
  zero.preload(queries.me())
  zero.preload(queries.threads.list({ limit: 50 }))
  expect(await titles(zero)).toEqual([kept, removed].sort())
  expect(await zero.mutate(mutators.settings.update({ nickname: `before ${happens.name}` })).server).toMatchObject({ type: 'success' })

  received.clears = 0
  await product.kill9()
  await page.until('connecting')
  const rename = zero.mutate(mutators.threads.rename({ threadId: kept, title: 'Renamed meanwhile' }))
  expect(await rename.client).toMatchObject({ type: 'success' })
  happens()
  addThreads(guest, [added])
  removeThread(removed)
  await product.restart()

  expect(await rename.server).toMatchObject({ type: 'success' })
  // Proves that the client was reset. Several resets are possible: it may reconnect before it has applied one.
  expect(received.clears).toBeGreaterThan(0)
  const view = zero.materialize(queries.threads.list({ limit: 50 }))
  const shown = () => view.data.map(({ title }) => title).sort()
  const wanted = [added, 'Renamed meanwhile'].sort()
  await new Promise<void>((resolve) => {
    view.addListener((_rows, type) => type === 'complete' && JSON.stringify(shown()) === JSON.stringify(wanted) && resolve())
  })
  expect(await zero.run(queries.me(), { type: 'complete' })).toMatchObject({ setting: { nickname: `before ${happens.name}` } })
  expect([page.calls, page.states.includes('error'), page.states.includes('needs-auth')]).toEqual([[], false, false])
  // The same client continues: its next write has the next mutation id.
  expect(await zero.mutate(mutators.settings.update({ nickname: 'after' })).server).toMatchObject({ type: 'success' })
  const next = await settledPage(guest)
  expect(await titles(next.zero)).toEqual(wanted)
})

// kill -9 of the server under eight clients that write continuously: no confirmed write is lost, none is applied twice, and all clients
// converge to the database. Rules: worker/sync/SPEC.md, P2, H2, K2.
import { expect, test } from 'vitest'
import { newGuest } from '../support/guest.ts'
import { startProduct, unlimitedWrites } from '../support/product.ts'
import { openRecord } from '../support/record-file.ts'
import { createRng } from '../support/rng.ts'
import { SteadyWriter } from '../support/steady-writer.ts'

const rounds = Number(process.env.ROUNDS ?? (process.env.PARLEY_LONG ? 500 : 8))
const me = { hash: 'me', name: 'me', args: [] }
/** Two clients of each user, of separate groups, write different columns of one row. */
const columns = ['nickname', 'biography'] as const
const users = 4

test(`[P2] [H2] ${rounds} kills under eight writing clients`, { timeout: rounds * 20_000 }, async () => {
  const rng = createRng(20)
  const product = await startProduct({ env: unlimitedWrites })
  try {
    const guests = await Promise.all(Array.from({ length: users }, () => newGuest(product.url)))
    const writers = guests.flatMap((guest) =>
      columns.map((column) => ({
        guest,
        column,
        writer: new SteadyWriter({
          guest,
          clientID: `${column}-${guest.userId}`,
          query: me,
          write: (id) => ({ name: 'settings.update', args: { [column]: `${id}` } }),
        }),
      })),
    )
    const all = writers.map(({ writer }) => writer)
    await Promise.all(all.map((writer) => writer.connect()))
    for (const writer of all) writer.start()

    for (let round = 0; round < rounds; round++) {
      const confirmedBefore = all.map(({ confirmed }) => confirmed)
      // The kill happens while every client has confirmed and unconfirmed writes.
      const more = 1 + rng.below(20)
      await Promise.all(all.map((writer, i) => writer.shows(() => writer.confirmed >= (confirmedBefore[i] ?? 0) + more)))
      await product.kill9()
      await product.restart()
      await Promise.all(all.map((writer) => writer.connect()))
    }
    await Promise.all(all.map((writer) => writer.finish()))
    // Both clients of a user converge to the last write of each.
    for (const { guest, column, writer } of writers) {
      const last = `${writer.made}`
      const siblings = writers.filter((other) => other.guest === guest).map((other) => other.writer)
      await Promise.all(siblings.map((sibling) => sibling.shows(() => settingOf(sibling)?.[column] === last)))
    }
    for (const { column, writer } of writers) {
      expect(writer.errors).toEqual([])
      expect(writer.confirmed).toBe(writer.made)
      expect(settingOf(writer)).toMatchObject({ [column]: `${writer.made}` })
      writer.close()
    }

    await product.kill9()
    const record = openRecord(product.stateDir)
    for (const guest of guests) {
      const own = writers.filter((other) => other.guest === guest)
      const made = own.reduce((sum, { writer }) => sum + writer.made, 0)
      const progress = record
        .prepare('select clientID, lastMutationID from clientProgress where userId = ? order by clientID')
        .all(guest.userId)
      expect(progress.map((row) => ({ ...row }))).toEqual(
        own.map(({ column, writer }) => ({ clientID: `${column}-${guest.userId}`, lastMutationID: writer.made })).toSorted(byClient),
      )
      const row = record.prepare('select nickname, biography from setting where userId = ?').get(guest.userId)
      expect({ ...row }).toEqual(Object.fromEntries(own.map(({ column, writer }) => [column, `${writer.made}`])))
      // A trigger logs every update of the row: one per write, or a write was lost or applied twice.
      const updates = record
        .prepare(`select count(*) n from contentChange where scope = 'user:' || ? and tbl = 'setting' and op = 'u'`)
        .get(guest.userId)
      expect(updates?.n).toBe(made)
    }
    record.close()
  } finally {
    await product.stop()
  }
})

const settingOf = ({ rows }: SteadyWriter) => [...rows].find(([key]) => key.startsWith('setting/'))?.[1]
const byClient = (a: { clientID: string }, b: { clientID: string }) => (a.clientID < b.clientID ? -1 : 1)

// What guests store on a day: of one network and all together, counted and refused by triggers.
import { describe, expect, test } from 'vitest'
import { allGuestsStoredPerDay, guestNetworkStoredPerDay } from '../../../worker/contract/limits.ts'
import { checkContentStatement, contentLimitsOf } from '../../../worker/db/content-use.ts'
import { classifyD1Error } from '../../../worker/db/errors.ts'
import { newId } from '../../../worker/db/new-id.ts'
import { createNodeD1, type NodeD1 } from '../../support/node-d1.ts'
import { insert, insertStatement, messageRow, type Row, threadRow } from '../../support/rows.ts'

type Use = { readonly bytes: number; readonly rows: number }

const counted = async (db: NodeD1, userId: string): Promise<Use> =>
  (await db.prepare('select bytes, rows from contentUse where userId = ?').bind(userId).first<Use>()) ?? { bytes: 0, rows: 0 }
const run = (db: NodeD1, sql: string, ...values: (string | number | null)[]) =>
  db
    .prepare(sql)
    .bind(...values)
    .run()
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => classifyD1Error(error),
  )
const guard = (code: string) => ({ kind: 'guard', code })
const textOf = (chars: number) => JSON.stringify({ role: 'assistant', parts: [{ type: 'text', text: 'x'.repeat(chars) }] })

/** A thread with a message. */
async function given(db: NodeD1, userId: string): Promise<string> {
  const thread = threadRow(userId)
  await insert(db, 'thread', thread)
  await insert(db, 'message', messageRow(userId, String(thread.id), { message: textOf(100) }))
  return String(thread.id)
}

describe('what guests store on a day', () => {
  const today = Math.floor(Date.now() / 86_400_000)
  const guestOf = (db: NodeD1, userId: string, network: string) =>
    run(db, 'insert into guestNetwork (userId, network) values (?, ?)', userId, network)
  const stored = async (db: NodeD1, network: string) =>
    (await db.prepare('select bytes, rows, fileBytes from guestUse where network = ? and day = ?').bind(network, today).first()) ?? null
  /** Uses up all but `left` of the day. */
  const used = (db: NodeD1, network: string, kind: 'bytes' | 'rows' | 'fileBytes', left: number, day = today) => {
    const limit = network === '' ? allGuestsStoredPerDay : guestNetworkStoredPerDay
    return run(
      db,
      `insert into guestUse (day, network, credits, ${kind}) values (?1, ?2, 0, ?3) on conflict (day, network) do update set ${kind} = ?3`,
      ...[day, network, limit[kind] - left],
    )
  }
  const write = (db: NodeD1, userId: string, threadId: string, chars = 100) =>
    codeOf(
      db.batch([
        insertStatement(db, 'message', messageRow(userId, threadId, { message: textOf(chars) })),
        checkContentStatement(db, userId, contentLimitsOf('guest', null)),
      ]),
    )
  const upload = (db: NodeD1, userId: string, sizeBytes: number, fields: Row = {}) => {
    const id = newId()
    return codeOf(
      insert(db, 'attachment', { ...{ id, userId, uploadId: id, name: 'a', mediaType: 'image/png', sizeBytes, createdAt: 1 }, ...fields }),
    )
  }

  test('is counted once for the network and once for all, and counts only what was added', async () => {
    const db = createNodeD1()
    for (const [userId, network] of [
      ['ann', 'office'],
      ['bob', 'office'],
      ['eve', 'home'],
    ] as const) {
      await guestOf(db, userId, network)
      const threadId = await given(db, userId)
      expect(await write(db, userId, threadId)).toBeNull()
      expect(await write(db, userId, threadId)).toBeNull()
      // Nothing was added.
      expect(await codeOf(checkContentStatement(db, userId, contentLimitsOf('guest', null)).run())).toBeNull()
    }
    const each = await counted(db, 'ann')
    expect(await stored(db, 'office')).toEqual({ bytes: 2 * each.bytes, rows: 2 * each.rows, fileBytes: 0 })
    expect(await stored(db, 'home')).toEqual({ ...each, fileBytes: 0 })
    expect(await stored(db, '')).toEqual({ bytes: 3 * each.bytes, rows: 3 * each.rows, fileBytes: 0 })
  })

  test('of accounts is not counted', async () => {
    const db = createNodeD1()
    expect(await write(db, 'ada', await given(db, 'ada'))).toBeNull()
    expect(await upload(db, 'ada', 5)).toBeNull()
    expect(await stored(db, '')).toBeNull()
  })

  test.each(['network', ''].flatMap((network) => (['bytes', 'rows'] as const).map((kind) => [network, kind] as const)))(
    'is refused as a whole above the limit: network "%s", %s',
    async (network, kind) => {
      const db = createNodeD1()
      await guestOf(db, 'ann', 'network')
      const threadId = await given(db, 'ann')
      expect(await write(db, 'ann', threadId)).toBeNull()
      const before = await counted(db, 'ann')
      const size = Buffer.byteLength(textOf(100))
      await used(db, network, kind, kind === 'rows' ? 1 : size)
      expect(await write(db, 'ann', threadId)).toBeNull()
      expect(await write(db, 'ann', threadId)).toEqual(guard('guest_storage_reached'))
      expect(await counted(db, 'ann')).toEqual({ bytes: before.bytes + size, rows: before.rows + 1 })
      // Another guest of the network fares the same; a deletion gives nothing back; reading and deleting stay possible.
      await guestOf(db, 'bob', 'network')
      expect(await write(db, 'bob', await given(db, 'bob'))).toEqual(guard('guest_storage_reached'))
      await run(db, "delete from message where userId = 'ann'")
      expect(await write(db, 'ann', threadId)).toBeNull()
      // An account is not affected.
      expect(await write(db, 'ada', await given(db, 'ada'))).toBeNull()
    },
  )

  test('begins anew on the next day', async () => {
    const db = createNodeD1()
    await guestOf(db, 'ann', 'network')
    for (const network of ['network', '']) await used(db, network, 'bytes', 0, today - 1)
    expect(await write(db, 'ann', await given(db, 'ann'))).toBeNull()
  })

  test.each(['network', ''])('includes uploads and originals, but no copies and no files of models: network "%s"', async (network) => {
    const db = createNodeD1()
    await guestOf(db, 'ann', 'network')
    expect(await upload(db, 'ann', 5, { id: 'first', uploadId: 'first' })).toBeNull()
    expect(await stored(db, network)).toEqual({ bytes: 0, rows: 0, fileBytes: 5 })
    await used(db, network, 'fileBytes', 10)
    expect(await upload(db, 'ann', 6)).toBeNull()
    expect(await upload(db, 'ann', 5)).toEqual(guard('guest_storage_reached'))
    const original = (bytes: number) => codeOf(run(db, 'update attachment set originalBytes = ? where id = ?', bytes, 'first'))
    expect(await original(5)).toEqual(guard('guest_storage_reached'))
    expect(await original(4)).toBeNull()
    expect(await original(0)).toBeNull()
    expect(await upload(db, 'ann', 50, { uploadId: 'copy:thread-0', objectId: 'first' })).toBeNull()
    expect(await upload(db, 'ann', 50, { uploadId: 'generation:file' })).toBeNull()
    expect(await upload(db, 'ada', 50)).toBeNull()
  })
})

// Rows that a mutation inserts one after the other: joined in statements, counted once.
import { expect, test } from 'vitest'
import { countedOnce } from '../../../worker/db/content-use.ts'
import { ensureUserRows } from '../../../worker/db/user-rows.ts'
import { contentParts, type D1Write, partStatement } from '../../../worker/db/writes.ts'
import { createNodeD1 } from '../../support/node-d1.ts'
import { insert, threadRow } from '../../support/rows.ts'

const message = (index: number, text: string): D1Write => ({
  kind: 'insert',
  table: 'message',
  row: {
    id: `m${index}`,
    threadId: 'thread',
    userId: 'ada',
    parentId: index === 0 ? null : `m${index - 1}`,
    message: { text },
    createdAt: index,
  },
})
const thread = (id: string, more: object = {}): D1Write => ({
  kind: 'insert',
  table: 'thread',
  row: { id, userId: 'ada', title: id, createdAt: 1, updatedAt: 1, ...more },
})
const sizes = (writes: readonly D1Write[]) => contentParts(writes).map((part) => part.length)

test('inserts with the same columns join; other writes stand alone and keep the order', () => {
  const update: D1Write = { kind: 'update', table: 'thread', row: { id: 'a', title: 'b' } }
  const shared: D1Write = { kind: 'upsert', table: 'sharedPrompt', row: { id: 'p' } }
  expect(sizes([thread('a'), thread('b'), message(0, 'x'), message(1, 'y'), update, update, message(2, 'z')])).toEqual([2, 2, 1, 1, 1])
  expect(sizes([thread('a'), thread('b', { archivedAt: 1 }), thread('c', { archivedAt: 2 })])).toEqual([1, 2])
  expect(sizes([shared, thread('a'), shared, thread('b')])).toEqual([2])
  expect(sizes([])).toEqual([])
})

test('a statement has less text than D1 binds, and a long row stands alone', () => {
  const writes = Array.from({ length: 12 }, (_, index) => message(index, '漢'.repeat(index === 5 ? 600_000 : 100_000)))
  for (const part of contentParts(writes)) if (part.length > 1) expect(Buffer.byteLength(JSON.stringify(part))).toBeLessThan(2_000_000)
  expect(contentParts(writes).flat()).toEqual(writes)
})

test('400 messages arrive as given, and write the usage row once', async () => {
  const db = createNodeD1()
  await ensureUserRows(db, 'ada')
  await insert(db, 'thread', threadRow('ada', { id: 'thread' }))
  const texts = ['plain', '"quotes" \\ and\nlines', '漢字 🙂 \u0000', '', '[1,2]', '{"a":null}']
  const writes = Array.from({ length: 400 }, (_, index) => message(index, `${texts[index % texts.length]}${'x'.repeat(index)}`))
  const usages = () => db.prepare("select count(*) n from contentChange where tbl = 'usage'").first<number>('n')
  const before = (await usages()) ?? 0
  await db.batch([
    ...countedOnce(
      db,
      'ada',
      contentParts(writes).map((part) => partStatement(db, 'ada', part)),
    ),
  ])
  expect(((await usages()) ?? 0) - before).toBe(1)
  const { results } = await db.prepare('select id, parentId, message, createdAt, updatedAt from message order by createdAt').all()
  expect(results).toEqual(
    writes.map(({ row }) => ({
      id: row.id,
      parentId: row.parentId,
      message: JSON.stringify(row.message),
      createdAt: row.createdAt,
      updatedAt: null,
    })),
  )
  const use = await db.prepare("select bytes, rows from contentUse where userId = 'ada'").first()
  const sum = 'select (select sum(octet_length(message)) from message) + (select sum(octet_length(title)) from thread) bytes, 401 rows'
  expect(use).toEqual(await db.prepare(sum).first())
})

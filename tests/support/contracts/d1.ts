/**
 * D1's behaviour that the product relies on, with the product's migrations: the same tests run on workerd's D1 and on the one in memory.
 */
import { describe, expect, test } from 'vitest'
import { classifyD1Error, guardCodes } from '../../../worker/db/errors.ts'
import { insertStatement, messageRow, threadRow, userRow } from '../rows.ts'

export function d1Contract(name: string, open: () => D1Database): void {
  let made = 0
  const insertUser = async (db: D1Database): Promise<string> => {
    const id = `contract-${++made}`
    await insertStatement(db, 'user', userRow({ id })).run()
    return id
  }

  describe(`the D1 contract on ${name}`, () => {
    test('a batch is atomic and returns results in order', async () => {
      const db = open()
      const userId = await insertUser(db)
      const thread = threadRow(userId, { id: `${userId}-t` })
      const count = db.prepare('select count(*) n from thread where userId = ?').bind(userId)
      const [before, inserted, after] = await db.batch<{ n: number }>([count, insertStatement(db, 'thread', thread), count])
      expect([before?.results, inserted?.meta.changes, after?.results]).toEqual([[{ n: 0 }], expect.any(Number), [{ n: 1 }]])
      await expect(
        db.batch([insertStatement(db, 'thread', threadRow(userId, { id: `${userId}-u` })), insertStatement(db, 'thread', thread)]),
      ).rejects.toThrow(/UNIQUE constraint failed: thread.id/)
      expect(await count.first('n')).toBe(1)
    })

    test('`changes` shows if a guarded write took effect', async () => {
      const db = open()
      const userId = await insertUser(db)
      const rename = (id: string) => db.prepare('update user set name = ? where id = ?').bind('New', id)
      expect((await rename(userId).run()).meta.changes).toBeGreaterThan(0)
      expect((await rename('nobody').run()).meta.changes).toBe(0)
    })

    test('numbered parameters may repeat in any order', async () => {
      const row = await open().prepare('select ?2 b, ?1 a, ?2 c').bind('one', 2).first()
      expect(row).toEqual({ b: 2, a: 'one', c: 2 })
    })

    test('booleans become numbers, null is kept, and undefined is rejected', async () => {
      const db = open()
      expect(await db.prepare('select ? a, ? b, ? c').bind(true, null, false).first()).toEqual({ a: 1, b: null, c: 0 })
      await expect((async () => db.prepare('select ?').bind(undefined).first())()).rejects.toThrow(/D1_TYPE_ERROR/)
      expect(await db.prepare('select 1 where 0').first()).toBeNull()
      expect(await db.prepare('select 1 a, 2 b union all select 3, 4').raw()).toEqual([
        [1, 2],
        [3, 4],
      ])
    })

    test('errors of the schema’s guards are identified by their codes', async () => {
      const db = open()
      const [ada, bob] = [await insertUser(db), await insertUser(db)]
      await insertStatement(db, 'thread', threadRow(ada, { id: `${ada}-t` })).run()
      const failure = await insertStatement(db, 'message', messageRow(bob, `${ada}-t`))
        .run()
        .then(
          () => null,
          (error: unknown) => classifyD1Error(error),
        )
      expect(failure).toEqual({ kind: 'guard', code: 'foreign_thread' })
      expect(guardCodes).toContain('foreign_thread')
      const unique = insertStatement(db, 'user', userRow({ id: ada })).run()
      expect(classifyD1Error(await unique.catch((error: unknown) => error))).toEqual({ kind: 'unique', columns: ['user.id'] })
      expect(
        classifyD1Error(
          await db
            .prepare('select * from no_such_table')
            .all()
            .catch((error: unknown) => error),
        ),
      ).toEqual({ kind: 'unknown' })
    })

    test('deleting a user deletes all of the user’s rows, with feed entries', async () => {
      const db = open()
      const userId = await insertUser(db)
      await insertStatement(db, 'thread', threadRow(userId, { id: `${userId}-t` })).run()
      await insertStatement(db, 'message', messageRow(userId, `${userId}-t`, { id: `${userId}-m` })).run()
      await db.prepare('delete from thread where id = ?').bind(`${userId}-t`).run()
      expect(await db.prepare('select 1 from message where id = ?').bind(`${userId}-m`).first()).toBeNull()
      const { results } = await db
        .prepare('select tbl, op from contentChange where scope = ? order by seq')
        .bind(`user:${userId}`)
        .all<{ tbl: string; op: string }>()
      const changes = results.map(({ tbl, op }) => `${tbl} ${op}`)
      expect(changes.slice(0, 2)).toEqual(['thread i', 'message i'])
      expect(changes).toContain('thread d')
      expect(changes).toContain('message d')
    })
  })
}

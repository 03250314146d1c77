/**
 * The behaviour of Durable Object storage and sockets that the product relies on. The same tests run on workerd's and on the in-memory
 * versions of the simulations, which are valid as far as this suite covers them.
 */
import { describe, expect, test } from 'vitest'
import { objectSql } from '../../../worker/sync/state/user-state.ts'

/** Runs `look` in an object with an empty storage. */
export type InObject = <T>(look: (storage: DurableObjectStorage, state: DurableObjectState) => T | Promise<T>) => Promise<T>

export function storageContract(name: string, newObject: () => InObject): void {
  const within = <T>(look: (storage: DurableObjectStorage, state: DurableObjectState) => T | Promise<T>) => newObject()(look)
  const rowsOf = (storage: DurableObjectStorage, text: string, ...binds: SqlStorageValue[]) => storage.sql.exec(text, ...binds).toArray()

  describe(`the storage contract on ${name}`, () => {
    test('rows are read as written: any text, integers, fractions, null', async () => {
      await within(({ sql }) => {
        sql.exec('create table t (id text primary key, n, x) without rowid')
        const written = [
          { id: '', n: 0, x: null },
          { id: '__proto__', n: -1, x: 'é😀\u2028' },
          { id: 'a', n: 2 ** 53 - 1, x: '' },
          { id: 'b', n: 1.5, x: '{"a":[1,null]}' },
        ]
        for (const { id, n, x } of written) sql.exec('insert into t values (?, ?, ?)', id, n, x)
        expect(sql.exec('select * from t order by id').toArray()).toEqual(written)
      })
    })

    test('text sorts by bytes', async () => {
      await within((storage) => {
        storage.sql.exec('create table t (id text primary key) without rowid')
        const ids = ['Z', 'a', 'é', '\uffff', '😀']
        for (const id of ids.toReversed()) storage.sql.exec('insert into t values (?)', id)
        expect(rowsOf(storage, 'select id from t order by id').map(({ id }) => id)).toEqual(ids)
      })
    })

    test('a cursor is read once, row by row or as a whole', async () => {
      await within(({ sql }) => {
        sql.exec('create table t (n)')
        for (const n of [1, 2, 3]) sql.exec('insert into t values (?)', n)
        const cursor = sql.exec<{ n: number }>('select n from t order by n')
        expect(cursor.next()).toMatchObject({ done: false, value: { n: 1 } })
        expect([...cursor].map(({ n }) => n)).toEqual([2, 3])
        expect(cursor.next().done).toBe(true)
        expect(sql.exec('select n from t where n = 2').one()).toEqual({ n: 2 })
        expect(() => sql.exec('select n from t').one()).toThrow(/exactly one/i)
        expect(() => sql.exec('select n from t where n = 9').one()).toThrow(/exactly one/i)
      })
    })

    test('insert or ignore, upserts and returning', async () => {
      await within((storage) => {
        storage.sql.exec('create table t (id text primary key, n integer) without rowid')
        const upsert = 'insert into t values (?, ?) on conflict (id) do update set n = excluded.n where excluded.n > n returning n'
        expect(rowsOf(storage, upsert, 'a', 1)).toEqual([{ n: 1 }])
        expect(rowsOf(storage, upsert, 'a', 3)).toEqual([{ n: 3 }])
        expect(rowsOf(storage, upsert, 'a', 2)).toEqual([])
        storage.sql.exec('insert or ignore into t values (?, ?)', 'a', 9)
        expect(rowsOf(storage, 'select * from t')).toEqual([{ id: 'a', n: 3 }])
      })
    })

    test('the required SQL dialect', async () => {
      await within((storage) => {
        const one = (text: string, ...binds: SqlStorageValue[]) => Object.values(rowsOf(storage, text, ...binds)[0] ?? {})[0]
        expect(one('select json_extract(?, ?)', '{"a":{"b":2}}', '$.a.b')).toBe(2)
        expect(one("select group_concat(value, ',') from json_each(?)", '[3,1]')).toBe('3,1')
        expect(one("select 'A' = 'a'")).toBe(0)
        expect(one('select null is null and not (1 = null) is true')).toBe(1)
        expect(one("select count(*) from pragma_table_info('sqlite_master')")).toBe(5)
      })
    })

    test('a transaction that throws rolls back rows and values; a nested one rolls back alone', async () => {
      await within((storage) => {
        storage.sql.exec('create table t (n)')
        storage.kv.put('k', 1)
        expect(() =>
          storage.transactionSync(() => {
            storage.sql.exec('insert into t values (1)')
            storage.kv.put('k', 2)
            throw new Error('no')
          }),
        ).toThrow('no')
        expect([rowsOf(storage, 'select n from t'), storage.kv.get('k')]).toEqual([[], 1])
        storage.transactionSync(() => {
          storage.sql.exec('insert into t values (2)')
          expect(() =>
            storage.transactionSync(() => {
              storage.sql.exec('insert into t values (3)')
              throw new Error('inner')
            }),
          ).toThrow('inner')
        })
        expect(rowsOf(storage, 'select n from t')).toEqual([{ n: 2 }])
        expect(storage.transactionSync(() => 'value')).toBe('value')
      })
    })

    test('the engine’s storage interface: joined transactions, all or nothing', async () => {
      await within((storage) => {
        const sql = objectSql(storage)
        sql.run('create table t (n)')
        expect(() =>
          sql.transaction(() => {
            sql.run('insert into t values (?)', 1)
            sql.transaction(() => sql.run('insert into t values (?)', 2))
            throw new Error('no')
          }),
        ).toThrow('no')
        expect(sql.all('select n from t')).toEqual([])
        sql.transaction(() => sql.transaction(() => sql.run('insert into t values (?)', 3)))
        expect(sql.all('select n from t')).toEqual([{ n: 3 }])
      })
    })

    test('a statement that violates a constraint throws, and the next one works', async () => {
      await within((storage) => {
        storage.sql.exec('create table t (id text primary key not null) without rowid')
        storage.sql.exec("insert into t values ('a')")
        expect(() => storage.sql.exec("insert into t values ('a')")).toThrow(/UNIQUE constraint failed: t.id/)
        expect(() => storage.sql.exec('insert into t values (?)', null)).toThrow(/NOT NULL/)
        expect(() => storage.sql.exec('select * from no_such_table')).toThrow(/no such table/)
        expect(rowsOf(storage, 'select * from t')).toEqual([{ id: 'a' }])
      })
    })

    test('at most a hundred binds', async () => {
      await within((storage) => {
        const marks = (count: number) => `select 1 in (${Array.from({ length: count }, () => '?').join(', ')}) found`
        const ones = (count: number) => Array.from({ length: count }, () => 1)
        expect(rowsOf(storage, marks(100), ...ones(100))).toEqual([{ found: 1 }])
        expect(() => storage.sql.exec(marks(101), ...ones(101))).toThrow(/variable/i)
      })
    })

    test('values by name are copies', async () => {
      await within(({ kv }) => {
        expect(kv.get('k')).toBeUndefined()
        const value = { list: [1] }
        kv.put('k', value)
        value.list.push(2)
        expect(kv.get('k')).toEqual({ list: [1] })
        expect([kv.delete('k'), kv.delete('k'), kv.get('k')]).toEqual([true, false, undefined])
      })
    })

    test('one alarm: the last one set replaces the others', async () => {
      await within(async (storage) => {
        const later = Date.now() + 3_600_000
        expect(await storage.getAlarm()).toBeNull()
        await storage.setAlarm(later)
        await storage.setAlarm(later + 5)
        expect(await storage.getAlarm()).toBe(later + 5)
        await storage.deleteAlarm()
        expect(await storage.getAlarm()).toBeNull()
      })
    })

    test('deleting everything leaves no table, value or alarm, and new data can follow', async () => {
      await within(async (storage) => {
        const { sql, kv } = storage
        const tables = () => rowsOf(storage, "select name from sqlite_master where type = 'table' and name like 'kept%'")
        for (const statement of ['create table kept (id text primary key) without rowid', 'create index kept_id on kept (id)'])
          sql.exec(statement)
        sql.exec("insert into kept values ('a')")
        kv.put('k', 1)
        await storage.setAlarm(Date.now() + 3_600_000)
        await storage.deleteAll()
        expect([tables(), kv.get('k'), await storage.getAlarm()]).toEqual([[], undefined, null])
        expect(() => sql.exec("insert into kept values ('b')")).toThrow(/no such table/)
        sql.exec('create table kept (id text primary key, n integer) without rowid')
        sql.exec("insert into kept values ('a', 1)")
        kv.put('k', 2)
        expect([rowsOf(storage, 'select * from kept'), kv.get('k')]).toEqual([[{ id: 'a', n: 1 }], 2])
      })
    })

    test('sockets are found by their tags, and their attachments are copies', async () => {
      await within((_storage, state) => {
        const accepted = (...tags: string[]): WebSocket => {
          const [, server] = Object.values(new WebSocketPair()) as [WebSocket, WebSocket]
          state.acceptWebSocket(server, tags)
          return server
        }
        const [a, b] = [accepted('group:1', 'client:a'), accepted('group:1', 'client:b')]
        expect(state.getWebSockets('group:1')).toHaveLength(2)
        expect(state.getWebSockets('client:a')).toEqual([a])
        expect(state.getWebSockets('client:c')).toEqual([])
        expect(a.deserializeAttachment()).toBeNull()
        const attachment = { cookie: null as string | null }
        a.serializeAttachment(attachment)
        attachment.cookie = 'later'
        expect([a.deserializeAttachment(), b.deserializeAttachment()]).toEqual([{ cookie: null }, null])
        a.serializeAttachment({ cookie: '01' })
        expect(a.deserializeAttachment()).toEqual({ cookie: '01' })
        expect(a.readyState).toBe(WebSocket.OPEN)
        a.close(1000, 'done')
        expect(a.readyState).not.toBe(WebSocket.OPEN)
        // Until the other end has closed too.
        expect(state.getWebSockets('group:1')).toContain(a)
        expect(() => a.send('after the end')).toThrow()
        expect(() => b.close(1005)).toThrow()
        b.close(1000)
      })
    })
  })
}

// Changes of other writers reach the users who see the rows. Rules: worker/sync/SPEC.md, F1 and F6.

import { beforeAll, describe, expect, test } from 'vitest'
import { messageWindow } from '../support/message-windows.ts'
import { content } from './bindings.ts'
import { inside, stubOf } from './sync-object.ts'
import { connected, env, freshId, me, newUser, type SyncUser, threadList } from './sync-wire.ts'

let ada: SyncUser
beforeAll(async () => {
  ada = await newUser()
})

describe('the feed', () => {
  test('[F1] contains inserts, changes, deletes and changes of owner by other writers', async () => {
    const bob = await newUser()
    const wire = await connected(ada, { queries: [threadList] })
    const threadId = freshId('thread')
    const run = (sql: string, ...values: unknown[]) =>
      content
        .prepare(sql)
        .bind(...values)
        .run()
    const seen = async () => {
      await stubOf(ada).notify()
      await wire.settled()
      return wire.row('thread', threadId)
    }
    await run('insert into thread (id, userId, createdAt, updatedAt) values (?, ?, 1, 1)', threadId, ada.userId)
    expect(await seen()).toMatchObject({ title: null, status: 'ready' })
    await run('update thread set title = ? where id = ?', 'By hand', threadId)
    expect(await seen()).toMatchObject({ title: 'By hand' })
    await run('update thread set userId = ? where id = ?', bob.userId, threadId)
    expect(await seen()).toBeUndefined()
    await run('update thread set userId = ? where id = ?', ada.userId, threadId)
    expect(await seen()).toMatchObject({ title: 'By hand' })
    await run('delete from thread where id = ?', threadId)
    expect(await seen()).toBeUndefined()
    await wire.close()
  })

  test('[F6] pruned below the watermark causes an import that clients receive as a difference', async () => {
    const user = await newUser()
    const wire = await connected(user, { queries: [threadList, me] })
    const [kept, removed, added] = [freshId('kept'), freshId('gone'), freshId('come')]
    const insert = (id: string) =>
      content.prepare('insert into thread (id, userId, createdAt, updatedAt) values (?, ?, 1, 1)').bind(id, user.userId).run()
    await insert(kept)
    await insert(removed)
    await stubOf(user).notify()
    await wire.settled()
    await content.prepare('delete from thread where id = ?').bind(removed).run()
    await insert(added)
    await env.DB.prepare('update user set name = ? where id = ?').bind('Renamed', user.userId).run()
    await content.prepare('delete from contentChange where seq < (select max(seq) from contentChange)').run()
    await env.DB.prepare('delete from directoryChange where seq < (select max(seq) from directoryChange)').run()
    // The newest change is another user's: the pruned rows include all of this user's.
    await content.prepare("insert into contentChange (scope, tbl, rowId, op) values ('nobody', 'thread', 'x', 'd')").run()
    await content.prepare('delete from contentChange where seq < (select max(seq) from contentChange)').run()
    const opsBefore = wire.rowOps
    await stubOf(user).notify()
    await wire.settled()
    expect(
      wire
        .rowsOf('thread')
        .map(({ id }) => id)
        .sort(),
    ).toEqual([added, kept].sort())
    expect(wire.rowOps - opsBefore).toBeLessThanOrEqual(3)
    await wire.close()
  })

  test('[F6] above the limits of a pull causes an import in pages', async () => {
    const user = await newUser()
    const wire = await connected(user, { queries: [me] })
    await wire.close()
    const threadId = freshId('thread')
    await content.batch([
      content.prepare('insert into thread (id, userId, createdAt, updatedAt) values (?, ?, 1, 1)').bind(threadId, user.userId),
      content
        .prepare(
          `with recursive n (i) as (select 1 union all select i + 1 from n where i < 620)
         insert into message (id, threadId, userId, message, createdAt, updatedAt)
         select printf('%s-%04d', ?1, i), ?1, ?2, json_object('id', 'x', 'role', 'user', 'parts', json_array(printf('%.*c', 45000, 'x'))), i, i from n`,
        )
        .bind(threadId, user.userId),
    ])
    await inside(user, ({ watch }) => {
      watch.batches.length = 0
    })
    const back = await wire.reconnect()
    await back.receives('pokeEnd')
    const held = () => inside(user, (_object, { storage }) => storage.sql.exec('select count(*) n from message').one().n)
    while ((await held()) !== 620) await back.settled()
    const feedPages = await inside(user, ({ watch }) =>
      watch.batches.filter((texts) => texts.some((text) => text.includes('max(seq) seq'))),
    )
    // The pages that one pull may hold, six rows in each, and the pull after the last page of the import.
    expect(feedPages).toHaveLength(Math.floor((8 * 1024 * 1024) / (6 * 45_000)) + 1)
    await back.close()
  })

  test('[F1] a row outside of the schema is ignored', async () => {
    const user = await newUser()
    const threadId = freshId('thread')
    const wire = await connected(user, { queries: [messageWindow(threadId)] })
    await content.batch([
      content.prepare('insert into thread (id, userId, createdAt, updatedAt) values (?, ?, 1, 1)').bind(threadId, user.userId),
      content
        .prepare('insert into message (id, threadId, userId, message) values (?, ?, ?, ?)')
        .bind(`${threadId}-bad`, threadId, user.userId, 'no JSON'),
      content
        .prepare('insert into message (id, threadId, userId, message) values (?, ?, ?, ?)')
        .bind(`${threadId}-good`, threadId, user.userId, '{"id":"x","role":"user","parts":[]}'),
    ])
    await stubOf(user).notify()
    await wire.settled()
    expect(wire.rowsOf('message').map(({ id }) => id)).toEqual([`${threadId}-good`])
    await wire.close()
  })
})

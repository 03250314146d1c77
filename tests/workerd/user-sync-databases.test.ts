// Content and directory in two databases. Rules: worker/user-sync/SPEC.md, A3.
import { expect, test } from 'vitest'
import { content, env } from './bindings.ts'
import { evict, inside, stubOf } from './sync-object.ts'
import { connected, me, newUser, recentThreads, type SyncUser, turnArgs, type Wire } from './sync-wire.ts'
import { isWrite } from './watched-db.ts'
import { directoryKey } from './watched-user-sync.ts'

const { DB: directory } = env

/** A user whose object counts and fails batches of the directory too. */
async function watchedUser(): Promise<SyncUser> {
  const user = await newUser()
  await directory.prepare('update user set name = ? where id = ?').bind('From the directory', user.userId).run()
  await inside(user, (_object, { storage }) => storage.kv.put(directoryKey, true))
  await evict(user)
  return user
}

const rename = (user: SyncUser, name: string) => directory.prepare('update user set name = ? where id = ?').bind(name, user.userId).run()
const nameOf = (wire: Wire) => wire.rowsOf('user')[0]?.name

test('[A3] imports from both databases and follows both feeds', async () => {
  const user = await watchedUser()
  const wire = await connected(user, { queries: [me, recentThreads] })
  expect(nameOf(wire)).toBe('From the directory')
  expect(wire.rowsOf('setting')).toHaveLength(1)
  await rename(user, 'Renamed')
  await content.prepare('update setting set nickname = ? where userId = ?').bind('By hand', user.userId).run()
  await stubOf(user).notify()
  await wire.settled()
  expect([nameOf(wire), wire.rowsOf('setting')[0]?.nickname]).toEqual(['Renamed', 'By hand'])
  // A session that ended in the directory is refused, whatever the content database says.
  await directory.prepare('delete from session where userId = ?').bind(user.userId).run()
  const ended = await wire.reconnect().then((again) => again.receives('error'))
  expect(ended).toMatchObject({ kind: 'Unauthorized' })
})

test('[A3] [P1] a push writes to the content database and reads the directory at the same time', async () => {
  const user = await watchedUser()
  const wire = await connected(user, { queries: [me, recentThreads] })
  await wire.confirmed(wire.mutate('settings.update', { nickname: 'warm' }))
  await rename(user, 'Meanwhile')
  const before = await inside(user, ({ watch }) => watch.batches.length)
  const args = turnArgs('/demo chunks=1 delay=0')
  await wire.confirmed(wire.mutate('threads.send', args))
  const asked = await inside(user, ({ watch }) => watch.batches.slice(before, before + 2).map((texts) => texts.some(isWrite)))
  expect(asked).toEqual([true, false])
  expect(nameOf(wire)).toBe('Meanwhile')
  await wire.until(() => wire.row('message', args.messageId) !== undefined, 'the message')
  expect(await directory.prepare('select count(*) n from thread').first('n')).toBe(0)
  await wire.close()
})

test('[A3] pushes succeed without an answer of the directory, and its rows come later', async () => {
  const user = await watchedUser()
  const wire = await connected(user, { queries: [me] })
  await wire.confirmed(wire.mutate('settings.update', { nickname: 'warm' }))
  await rename(user, 'Unheard')
  await inside(user, ({ watch }) => {
    watch.failsAtBatch = watch.batches.length + 2
  })
  await wire.confirmed(wire.mutate('settings.update', { nickname: 'through' }))
  expect([nameOf(wire), wire.rowsOf('setting')[0]?.nickname]).toEqual(['From the directory', 'through'])
  await wire.confirmed(wire.mutate('settings.update', { nickname: 'next' }))
  expect(nameOf(wire)).toBe('Unheard')
  await wire.close()
})

test('[A3] a pruned or restored feed of one database is detected', async () => {
  const user = await watchedUser()
  const wire = await connected(user, { queries: [me] })
  await rename(user, 'Unread')
  await directory.prepare("insert into directoryChange (scope, tbl, rowId, op) values ('nobody', 'user', 'x', 'd')").run()
  await directory.prepare('delete from directoryChange where seq < (select max(seq) from directoryChange)').run()
  await stubOf(user).notify()
  await wire.settled()
  expect(nameOf(wire)).toBe('Unread')
  const { seq } = (await directory.prepare('select max(seq) seq from directoryChange').first<{ seq: number }>()) ?? { seq: 0 }
  await directory.prepare('update directoryChange set at = at + 1 where seq = ?').bind(seq).run()
  await stubOf(user).notify()
  expect(await wire.receives('error')).toMatchObject({ kind: 'ServerOverloaded' })
})

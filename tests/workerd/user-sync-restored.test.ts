// D1 restored to an earlier point in time. Rules: worker/sync/SPEC.md, F4 and P2.

import { expect, test } from 'vitest'
import { content } from './bindings.ts'
import { evict, inside, stubOf } from './sync-object.ts'
import { connected, connectWire, freshId, me, newUser, putQuery, type SyncUser, threadList } from './sync-wire.ts'

const insert = (id: string, { userId }: SyncUser) =>
  content.prepare('insert into thread (id, userId, createdAt, updatedAt) values (?, ?, 1, 1)').bind(id, userId)

const feedEnd = async (): Promise<number> => (await content.prepare('select max(seq) seq from contentChange').first<number>('seq')) ?? 0

/** Deletes everything that was written to the content database since then, and reuses the numbers of the feed. */
async function restoreTo(seq: number, threadIds: readonly string[]): Promise<void> {
  await content.batch([
    ...threadIds.map((id) => content.prepare('delete from thread where id = ?').bind(id)),
    content.prepare('delete from contentChange where seq > ?').bind(seq),
    content.prepare("update sqlite_sequence set seq = ? where name = 'contentChange'").bind(seq),
  ])
}

test.each(['nothing since', 'as many writes since', 'more writes since'])(
  '[F4] %s: is detected, and the replica is rebuilt',
  async (since) => {
    const user = await newUser()
    const kept = freshId('kept')
    await insert(kept, user).run()
    const end = await feedEnd()
    const wire = await connected(user, { queries: [me, threadList] })
    const lost = freshId('lost')
    await insert(lost, user).run()
    await stubOf(user).notify()
    await wire.until(() => wire.row('thread', lost) !== undefined, 'the thread that will be lost')
    if (since !== 'nothing since') await evict(user)

    await restoreTo(end, [lost])
    const writes = { 'nothing since': 0, 'as many writes since': 1, 'more writes since': 3 }[since] ?? 0
    const added = Array.from({ length: writes }, () => freshId('come'))
    for (const id of added) await insert(id, user).run()
    await stubOf(user).notify()
    // Other rows may be wrong too, so the browser starts over.
    expect(await wire.receives('error')).toMatchObject({ kind: 'ServerOverloaded' })
    await wire.untilClosed()
    // Neither the object nor D1 knows its group, but it has no confirmed mutation that might be lost.
    const cleared = await wire.reconnect()
    await cleared.untilClosed()
    expect([...cleared.rows]).toEqual([])
    const anew = await cleared.reconnect({ init: { desiredQueriesPatch: [me, threadList].map(putQuery) } })
    await anew.receives('pokeEnd')
    expect(
      anew
        .rowsOf('thread')
        .map(({ id }) => id)
        .sort(),
    ).toEqual([kept, ...added].sort())
    await anew.close()
  },
)

test('[F4] a browser with lost confirmed writes starts empty and can write', async () => {
  const user = await newUser()
  const wire = await connected(user, { queries: [me] })
  await wire.confirmed(wire.mutate('settings.update', { nickname: 'one' }))
  const end = await feedEnd()
  await wire.confirmed(wire.mutate('settings.update', { nickname: 'two' }))
  await content.batch([
    content.prepare('delete from clientProgress where userId = ?').bind(user.userId),
    content
      .prepare('insert into clientProgress (clientGroupID, clientID, userId, lastMutationID, updatedAt) values (?, ?, ?, 1, 1)')
      .bind(wire.groupID, wire.clientID, user.userId),
    content.prepare("update setting set nickname = 'one' where userId = ?").bind(user.userId),
  ])
  await restoreTo(end, [])
  wire.mutate('settings.update', { nickname: 'three' })
  await wire.receives('error')
  await wire.untilClosed()
  const refused = await wire.reconnect()
  expect(await refused.receives('error')).toMatchObject({ kind: 'InvalidConnectionRequestLastMutationID' })
  const anew = await connected(user, { queries: [me] })
  expect(anew.rowsOf('setting')).toMatchObject([{ nickname: 'one' }])
  await anew.confirmed(anew.mutate('settings.update', { nickname: 'four' }))
  await anew.close()
})

test('[F4] a restore that a connect detects checks the client with the restored data', async () => {
  const user = await newUser()
  const end = await feedEnd()
  const wire = await connected(user, { queries: [me, threadList] })
  const lost = freshId('lost')
  await insert(lost, user).run()
  await stubOf(user).notify()
  await wire.until(() => wire.row('thread', lost) !== undefined, 'the thread')
  await wire.close()
  await restoreTo(end, [lost])
  const refused = await connectWire(user, {
    params: { clientGroupID: wire.groupID, clientID: wire.clientID, baseCookie: wire.cookie ?? '' },
    init: { desiredQueriesPatch: [] },
  })
  await refused.untilClosed()
  expect(refused.frames.map(([tag]) => tag)).toEqual(['connected', 'pokeStart', 'pokePart', 'pokePart', 'pokeEnd'])
  expect(await inside(user, (_object, { storage }) => storage.sql.exec('select count(*) n from thread').one())).toEqual({ n: 0 })
})

test('[P2] a mutation of a closed page that can never be applied ends the group', async () => {
  const user = await newUser()
  const wire = await connected(user, { queries: [me] })
  await wire.close()
  const next = await connectWire(user, {
    params: { clientGroupID: wire.groupID, baseCookie: wire.cookie ?? '' },
    init: { desiredQueriesPatch: [] },
  })
  await next.receives('pokeEnd')
  next.push([{ name: 'settings.update', args: { nickname: 'Left behind' }, clientID: wire.clientID, id: 2 }])
  expect(await next.receives('error')).toMatchObject({ kind: 'ClientNotFound', origin: 'zeroCache' })
  await next.untilClosed()
  const progress = await content.prepare('select count(*) n from clientProgress where clientID = ?').bind(wire.clientID).first('n')
  expect(progress).toBe(0)
})

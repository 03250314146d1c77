// D1 restored to an earlier point in time. Rules: worker/sync/SPEC.md, F4 and P2.

import { expect, test } from 'vitest'
import { content } from './bindings.ts'
import { evict, stubOf } from './sync-object.ts'
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

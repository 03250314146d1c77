// D1 restored to an earlier point in time. Rules: worker/sync/SPEC.md, F4 and P2.

import { expect, test } from 'vitest'
import { content } from './bindings.ts'
import { evict, inside, stubOf } from './sync-object.ts'
import { connected, connectWire, freshId, me, newPerson, type Person, putQuery, threadList } from './sync-wire.ts'

const insert = (id: string, { userId }: Person) =>
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
    const person = await newPerson()
    const kept = freshId('kept')
    await insert(kept, person).run()
    const end = await feedEnd()
    const wire = await connected(person, { queries: [me, threadList] })
    const lost = freshId('lost')
    await insert(lost, person).run()
    await stubOf(person).notify()
    await wire.until(() => wire.row('thread', lost) !== undefined, 'the thread that will be lost')
    if (since !== 'nothing since') await evict(person)

    await restoreTo(end, [lost])
    const writes = { 'nothing since': 0, 'as many writes since': 1, 'more writes since': 3 }[since] ?? 0
    const come = Array.from({ length: writes }, () => freshId('come'))
    for (const id of come) await insert(id, person).run()
    await stubOf(person).notify()
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
    ).toEqual([kept, ...come].sort())
    await anew.close()
  },
)

test('[F4] a browser with lost confirmed writes starts empty and can write', async () => {
  const person = await newPerson()
  const wire = await connected(person, { queries: [me] })
  await wire.confirmed(wire.mutate('settings.update', { nickname: 'one' }))
  const end = await feedEnd()
  await wire.confirmed(wire.mutate('settings.update', { nickname: 'two' }))
  await content.batch([
    content.prepare('delete from clientProgress where userId = ?').bind(person.userId),
    content
      .prepare('insert into clientProgress (clientGroupID, clientID, userId, lastMutationID, updatedAt) values (?, ?, ?, 1, 1)')
      .bind(wire.groupID, wire.clientID, person.userId),
    content.prepare("update setting set nickname = 'one' where userId = ?").bind(person.userId),
  ])
  await restoreTo(end, [])
  wire.mutate('settings.update', { nickname: 'three' })
  await wire.receives('error')
  await wire.untilClosed()
  const refused = await wire.reconnect()
  expect(await refused.receives('error')).toMatchObject({ kind: 'InvalidConnectionRequestLastMutationID' })
  const anew = await connected(person, { queries: [me] })
  expect(anew.rowsOf('setting')).toMatchObject([{ nickname: 'one' }])
  await anew.confirmed(anew.mutate('settings.update', { nickname: 'four' }))
  await anew.close()
})

test('[F4] a restore that a connect detects checks the client with the restored data', async () => {
  const person = await newPerson()
  const end = await feedEnd()
  const wire = await connected(person, { queries: [me, threadList] })
  const lost = freshId('lost')
  await insert(lost, person).run()
  await stubOf(person).notify()
  await wire.until(() => wire.row('thread', lost) !== undefined, 'the thread')
  await wire.close()
  await restoreTo(end, [lost])
  const refused = await connectWire(person, {
    params: { clientGroupID: wire.groupID, clientID: wire.clientID, baseCookie: wire.cookie ?? '' },
    init: { desiredQueriesPatch: [] },
  })
  await refused.untilClosed()
  expect(refused.frames.map(([tag]) => tag)).toEqual(['connected', 'pokeStart', 'pokePart', 'pokePart', 'pokeEnd'])
  expect(await inside(person, (_object, { storage }) => storage.sql.exec('select count(*) n from thread').one())).toEqual({ n: 0 })
})

test('[P2] a mutation of a closed page that can never be applied ends the group', async () => {
  const person = await newPerson()
  const wire = await connected(person, { queries: [me] })
  await wire.close()
  const next = await connectWire(person, {
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

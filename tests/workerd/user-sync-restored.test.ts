// D1 restored to an earlier point in time: what objects and browsers know of it may never have happened. Rules: worker/sync/SPEC.md, F4.
import { expect, test } from 'vitest'
import {
  connected,
  connectWire,
  env,
  evict,
  freshId,
  inside,
  me,
  newPerson,
  type Person,
  putQuery,
  stubOf,
  threadList,
} from './sync-wire.ts'

const insert = (id: string, { userId }: Person) =>
  env.DB.prepare('insert into thread (id, userId, createdAt, updatedAt) values (?, ?, 1, 1)').bind(id, userId)

const feedEnd = async (): Promise<number> => (await env.DB.prepare('select max(seq) seq from contentChange').first<number>('seq')) ?? 0

/** Everything that was written to the content since then never was, and the numbers of the feed are given again. */
async function restoreTo(seq: number, threadIds: readonly string[]): Promise<void> {
  await env.DB.batch([
    ...threadIds.map((id) => env.DB.prepare('delete from thread where id = ?').bind(id)),
    env.DB.prepare('delete from contentChange where seq > ?').bind(seq),
    env.DB.prepare("update sqlite_sequence set seq = ? where name = 'contentChange'").bind(seq),
  ])
}

test.each(['nothing since', 'as many writes since', 'more writes since'])(
  '[F4] %s: noticed, and rebuilt from the record',
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
    // Nobody knows what else of it is not true; the browser starts over.
    expect(await wire.hears('error')).toMatchObject({ kind: 'ServerOverloaded' })
    await wire.untilClosed()
    // Neither the object nor the record knows its group, but it has seen no write confirmed that might be lost.
    const cleared = await wire.again()
    await cleared.untilClosed()
    expect([...cleared.rows]).toEqual([])
    const anew = await cleared.again({ init: { desiredQueriesPatch: [me, threadList].map(putQuery) } })
    await anew.hears('pokeEnd')
    expect(
      anew
        .rowsOf('thread')
        .map(({ id }) => id)
        .sort(),
    ).toEqual([kept, ...come].sort())
    await anew.close()
  },
)

test('[F4] a browser whose confirmed writes were lost starts from nothing; one that writes on is not stuck', async () => {
  const person = await newPerson()
  const wire = await connected(person, { queries: [me] })
  await wire.confirmed(wire.mutate('settings.update', { nickname: 'one' }))
  const end = await feedEnd()
  await wire.confirmed(wire.mutate('settings.update', { nickname: 'two' }))
  await env.DB.batch([
    env.DB.prepare('delete from clientProgress where userId = ?').bind(person.userId),
    env.DB.prepare('insert into clientProgress (clientGroupID, clientID, userId, lastMutationID, updatedAt) values (?, ?, ?, 1, 1)').bind(
      wire.groupID,
      wire.clientID,
      person.userId,
    ),
    env.DB.prepare("update setting set nickname = 'one' where userId = ?").bind(person.userId),
  ])
  await restoreTo(end, [])
  wire.mutate('settings.update', { nickname: 'three' })
  await wire.hears('error')
  await wire.untilClosed()
  const refused = await wire.again()
  expect(await refused.hears('error')).toMatchObject({ kind: 'InvalidConnectionRequestLastMutationID' })
  const anew = await connected(person, { queries: [me] })
  expect(anew.rowsOf('setting')).toMatchObject([{ nickname: 'one' }])
  await anew.confirmed(anew.mutate('settings.update', { nickname: 'four' }))
  await anew.close()
})

test('[F4] found at the door, the client that knocks is judged by what is left', async () => {
  const person = await newPerson()
  const end = await feedEnd()
  const wire = await connected(person, { queries: [me, threadList] })
  const lost = freshId('lost')
  await insert(lost, person).run()
  await stubOf(person).notify()
  await wire.until(() => wire.row('thread', lost) !== undefined, 'the thread')
  await wire.close()
  await restoreTo(end, [lost])
  const knocks = await connectWire(person, {
    params: { clientGroupID: wire.groupID, clientID: wire.clientID, baseCookie: wire.cookie ?? '' },
    init: { desiredQueriesPatch: [] },
  })
  await knocks.untilClosed()
  expect(knocks.frames.map(([tag]) => tag)).toEqual(['connected', 'pokeStart', 'pokePart', 'pokePart', 'pokeEnd'])
  expect(await inside(person, (_object, { storage }) => storage.sql.exec('select count(*) n from thread').one())).toEqual({ n: 0 })
})

test('[F4] [P2] what a page that is gone has left behind, and the record can never take, does not stop the browser for ever', async () => {
  const person = await newPerson()
  const wire = await connected(person, { queries: [me] })
  await wire.close()
  const next = await connectWire(person, {
    params: { clientGroupID: wire.groupID, baseCookie: wire.cookie ?? '' },
    init: { desiredQueriesPatch: [] },
  })
  await next.hears('pokeEnd')
  next.push([{ name: 'settings.update', args: { nickname: 'Left behind' }, clientID: wire.clientID, id: 2 }])
  expect(await next.hears('error')).toMatchObject({ kind: 'ClientNotFound', origin: 'zeroCache' })
  await next.untilClosed()
  const progress = await env.DB.prepare('select count(*) n from clientProgress where clientID = ?').bind(wire.clientID).first('n')
  expect(progress).toBe(0)
})

// [A10, R13] The mutations of a user and UTC day, through the whole server.
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { dayOf, nextDayStartMs } from '../../worker/contract/access.ts'
import { mutationStep, mutationsPerDay, reducingMutationsPerDay } from '../../worker/contract/limits.ts'
import { newId } from '../../worker/db/new-id.ts'
import { insert, threadRow } from '../support/rows.ts'
import { content } from './bindings.ts'
import { alarmAt, evict, fireAlarm, inside } from './sync-object.ts'
import { connected, me, newUser, nickname, type SyncUser, threadList, turnArgs, type Wire } from './sync-wire.ts'

const code = 'mutation_limit_reached'
const refused = { error: 'app', message: code, details: { code } }
const limit = mutationsPerDay.guest

const countOf = ({ userId }: SyncUser) =>
  content.prepare('select mutations from contentUse where userId = ?').bind(userId).first<number>('mutations')
const storedRowsOf = async ({ userId }: SyncUser) =>
  (await content
    .prepare(
      `select (select count(*) from contentChange where scope = 'user:' || ?1) + (select count(*) from mutationResult where userId = ?1) n`,
    )
    .bind(userId)
    .first<number>('n')) ?? 0
const resultOf = (wire: Wire, id: number) => wire.results.get(`${wire.clientID}/${id}`)

/** A guest who made this many mutations today, with a thread and a connection. */
async function guestAfter(mutations: number) {
  const user = await newUser()
  const threadId = newId()
  await insert(content, 'thread', threadRow(user.userId, { id: threadId }))
  const wire = await connected(user, { queries: [me, threadList] })
  await wire.confirmed(wire.push([nickname('first')]))
  await content.prepare('update contentUse set mutations = ? where userId = ?').bind(mutations, user.userId).run()
  return { user, wire, threadId }
}

describe('[A10] from the limit of the plan on', () => {
  test('refuses changes, and still deletes, restores and stops', async () => {
    const { user, wire, threadId } = await guestAfter(limit - 2)
    const turn = turnArgs('/demo chunks=100 delay=100')
    await wire.confirmed(wire.push([{ name: 'threads.send', args: turn }]))
    const last = wire.push([nickname('last')])
    await wire.confirmed(last)
    expect(resultOf(wire, last)).toBeUndefined()
    expect(wire.rowsOf('usage')).toMatchObject([{ mutations: limit, mutationDay: dayOf(Date.now()) }])
    const ids = [nickname('over'), { name: 'threads.rename', args: { threadId, title: 'Over' } }].map((mutation) => wire.push([mutation]))
    await wire.confirmed(Math.max(...ids))
    expect(ids.map((id) => resultOf(wire, id))).toEqual([refused, refused])
    const reducing = [
      { name: 'threads.stop', args: { threadId: turn.threadId } },
      { name: 'threads.delete', args: { threadIds: [threadId], at: 1 } },
    ].map((mutation) => wire.push([mutation]))
    await wire.confirmed(Math.max(...reducing))
    expect(reducing.map((id) => resultOf(wire, id))).toEqual([undefined, undefined])
    await wire.until(() => wire.row('thread', turn.threadId)?.status === 'ready', 'the stopped answer')
    expect(wire.rowsOf('setting')).toMatchObject([{ nickname: 'last' }])
    const restored = wire.push([{ name: 'threads.restore', args: { threadIds: [threadId] } }])
    await wire.confirmed(restored)
    expect(resultOf(wire, restored)).toBeUndefined()
    expect(await countOf(user)).toBe(limit + 5)
    await wire.close()
  })

  test('refuses them after the object has lost its storage, too', async () => {
    const { user, wire } = await guestAfter(limit - 1)
    await wire.confirmed(wire.push([nickname('last')]))
    await wire.close()
    await inside(user, (_object, { storage }) => storage.deleteAll())
    await evict(user)
    const next = await connected(user, { queries: [me] })
    const over = next.push([nickname('over')])
    await next.confirmed(over)
    expect(resultOf(next, over)).toEqual(refused)
    await next.close()
  })
})

describe('[R13] after the mutations that only delete or stop', () => {
  test('admits none and writes nothing until the next UTC day', async () => {
    const { user, wire, threadId } = await guestAfter(limit + reducingMutationsPerDay - 1)
    await wire.confirmed(wire.push([{ name: 'threads.delete', args: { threadIds: [threadId], at: 1 } }]))
    const before = [await countOf(user), await storedRowsOf(user)]
    const reconnected = await connected(user, { queries: [me] })
    for (const each of [wire, reconnected])
      for (let frame = 0; frame < 5; frame++) each.push(Array.from({ length: 100 }, (_, i) => nickname(`n${i}`)))
    expect(await wire.receives('error')).toMatchObject({ kind: 'MutationRateLimited' })
    expect(await reconnected.receives('error')).toMatchObject({ kind: 'MutationRateLimited' })
    await Promise.all([wire.settled(), reconnected.settled()])
    expect([await countOf(user), await storedRowsOf(user)]).toEqual(before)
    expect(wire.closed).toBeNull()
    expect(await alarmAt(user, 'quota')).toBe(nextDayStartMs(Date.now()))
    await Promise.all([wire.close(), reconnected.close()])
  })

  test('reopens the connection at 00:00 UTC, and the day starts with no mutations', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const midnightMs = nextDayStartMs(Date.now())
    // The token is valid for minutes.
    vi.setSystemTime(midnightMs - 5000)
    const { user, wire } = await guestAfter(limit + reducingMutationsPerDay - 1)
    await wire.confirmed(wire.push([nickname('refused')]))
    const waiting = wire.push([nickname('next day')])
    expect(await wire.receives('error')).toMatchObject({ kind: 'MutationRateLimited' })
    vi.setSystemTime(midnightMs)
    await fireAlarm(user)
    expect((await wire.untilClosed()).code).toBe(1000)
    const next = await wire.reconnect()
    next.push([{ ...nickname('next day'), id: waiting }])
    await next.confirmed(waiting)
    expect(resultOf(next, waiting)).toBeUndefined()
    expect(await countOf(user)).toBe(1)
    await next.close()
  })

  test('what a client can store in a day is bounded', async () => {
    const { user, wire } = await guestAfter(limit + reducingMutationsPerDay - 2 * mutationStep)
    const before = await storedRowsOf(user)
    // Without acknowledgements, so every refusal stays stored.
    for (let frame = 0; frame < 20; frame++) wire.push(Array.from({ length: 100 }, (_, i) => nickname(`n${i}`)))
    expect(await wire.receives('error')).toMatchObject({ kind: 'MutationRateLimited' })
    await wire.settled()
    expect((await storedRowsOf(user)) - before).toBeLessThanOrEqual(5 * mutationStep)
    await wire.close()
  })
})

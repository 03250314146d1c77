// Daily searches on the server: refused above the limit, also for racing tabs.

import { expect, test } from 'vitest'
import { dayOf } from '../../worker/contract/access.ts'
import { searchesPerDay } from '../../worker/contract/limits.ts'
import { content } from './bindings.ts'
import { appError, connected, env, me, newUser, recentThreads, type SyncUser, subscribe, turnArgs, type Wire } from './sync-wire.ts'
import { until } from './until.ts'

const search = (text: string, more: object = {}) => ({ ...turnArgs(text), mode: 'search', ...more })
const resultOf = (wire: Wire, id: number) => wire.results.get(`${wire.clientID}/${id}`)

const ended = async ({ userId }: SyncUser, turns: number) => {
  const done = () =>
    content.prepare("select count(*) n from generation where userId = ? and status <> 'open'").bind(userId).first<number>('n')
  await until(done, (count) => count === turns, `${turns} turns have ended`)
}
const sumOf = ({ userId }: SyncUser) =>
  content.prepare('select sum(search) search, sum(credits) credits from creditLedger where userId = ?').bind(userId).first()
const usageOf = ({ userId }: SyncUser) => content.prepare('select search, credits from usage where userId = ?').bind(userId).first()

test('[G20] a turn uses a search of the day when it searches, in any mode', async () => {
  const user = await newUser()
  const wire = await connected(user, { queries: [me, recentThreads] })
  await wire.confirmed(wire.mutate('threads.send', search('/demo delay=0 search=tea')))
  await wire.confirmed(wire.mutate('threads.send', turnArgs('/demo delay=0 search=tea')))
  await wire.confirmed(wire.mutate('threads.send', turnArgs('/demo chunks=1 delay=0')))
  await ended(user, 3)
  expect(await usageOf(user)).toEqual({ search: 2, credits: 3 })
  expect(await usageOf(user)).toEqual(await sumOf(user))
  await wire.close()
})

test('refuses a model without tools and an unknown mode', async () => {
  await env.DB.prepare(
    `insert into model (id, name, model, provider, description, icon, credits, access, position, createdAt, updatedAt)
     values ('no-tools', 'No tools', 'x/y', 'gateway', '', 'openai', 1, 'public', 9000, 1, 1)`,
  ).run()
  const user = await newUser()
  const wire = await connected(user, { queries: [me] })
  const refused = wire.mutate('threads.send', search('Hello', { modelId: 'no-tools' }))
  await wire.confirmed(refused)
  expect(resultOf(wire, refused)).toEqual(appError('tools_unsupported'))
  const unknown = wire.mutate('threads.send', search('Hello', { mode: 'guess' }))
  await wire.confirmed(unknown)
  expect(resultOf(wire, unknown)).toEqual(appError('invalid_request'))
  expect(await usageOf(user)).toMatchObject({ search: 0, credits: 0 })
  await wire.close()
})

test('[G20] racing tabs make the remaining searches, and the other answers are written without', async () => {
  const user = await newUser()
  await subscribe(user)
  const used = searchesPerDay.pro - searchesPerDay.guest
  await content
    .prepare(
      "insert into creditLedger (id, userId, generationId, kind, credits, search, day, createdAt) values (?, ?, 'y', 'reserve', 0, ?, ?, 1)",
    )
    .bind(`used-${user.userId}`, user.userId, used, dayOf(Date.now()))
    .run()
  const wires = await Promise.all([1, 2, 3].map(() => connected(user, { queries: [me, recentThreads] })))
  const sent = wires.flatMap((wire) =>
    [1, 2, 3].map(() => ({ wire, id: wire.mutate('threads.send', turnArgs('/demo delay=0 search=tea')) })),
  )
  await Promise.all(sent.map(({ wire, id }) => wire.confirmed(id)))
  await ended(user, sent.length)
  expect(await usageOf(user)).toEqual({ search: searchesPerDay.pro, credits: sent.length })
  expect(await usageOf(user)).toEqual(await sumOf(user))
  const forced = wires[0]?.mutate('threads.send', search('/demo delay=0 search=tea')) ?? 0
  await wires[0]?.confirmed(forced)
  expect(wires[0] && resultOf(wires[0], forced)).toEqual(appError('tool_limit_reached'))
  await Promise.all(wires.map((wire) => wire.close()))
})

test('continuing an answer with a search counts none, regenerating counts one', async () => {
  const user = await newUser()
  const wire = await connected(user, { queries: [me, recentThreads] })
  await content
    .prepare(
      "insert into creditLedger (id, userId, generationId, kind, credits, search, day, createdAt) values (?, ?, 'x', 'reserve', 0, ?, ?, 1)",
    )
    .bind(`spent-${user.userId}`, user.userId, searchesPerDay.guest - 1, dayOf(Date.now()))
    .run()
  const { threadId, messageId, answerId, ...args } = search('/demo delay=0 search=tea')
  await wire.confirmed(wire.mutate('threads.send', { threadId, messageId, answerId, ...args }))
  await ended(user, 1)
  // Interrupted at its end, which the demo model never does after a search.
  await content
    .prepare("update message set message = json_set(message, '$.metadata.ending', 'interrupted') where id = ?")
    .bind(answerId)
    .run()
  await wire.confirmed(wire.mutate('threads.rename', { threadId, title: 'Tea' }))
  expect(await usageOf(user)).toMatchObject({ search: searchesPerDay.guest })
  const again = (id: string, more: object = {}) =>
    wire.mutate('threads.answer', { threadId, parentId: messageId, answerId: id, modelId: args.modelId, mode: 'search', at: 1, ...more })
  const anew = again(`anew-${answerId}`)
  await wire.confirmed(anew)
  expect(resultOf(wire, anew)).toEqual(appError('tool_limit_reached'))
  const goingOn = again(`more-${answerId}`, { continueId: answerId })
  await wire.confirmed(goingOn)
  expect(resultOf(wire, goingOn)).not.toMatchObject({ error: 'app' })
  await ended(user, 2)
  expect(await usageOf(user)).toMatchObject({ search: searchesPerDay.guest })
  expect(await usageOf(user)).toEqual(await sumOf(user))
  await wire.close()
})

// Limits of stored data through the whole server: forks, full storage, and the clients of a group.

import { expect, test } from 'vitest'
import { clientIdleMs, contentStepRows, maxClientsPerGroup, storedContentRows } from '../../worker/contract/limits.ts'
import { insert } from '../support/rows.ts'
import { content } from './bindings.ts'
import { inside } from './sync-object.ts'
import { appError, connected, connectWire, freshId, me, newUser, recentThreads, turnArgs, type Wire } from './sync-wire.ts'

/** Refusals of these mutations, by code. */
const refusedBy = (wire: Wire) => [...wire.results.values()].map((result) => (result as { details: { code: string } }).details.code)

test('full storage refuses the next message while the current answer is stored; the page shows the use', async () => {
  const user = await newUser()
  const wire = await connected(user, { queries: [me, recentThreads] })
  const args = turnArgs('/demo chunks=3 delay=300')
  await wire.confirmed(wire.mutate('threads.send', args))
  await content.prepare('update contentUse set rows = ? where userId = ?').bind(storedContentRows.guest, user.userId).run()
  await wire.until(() => wire.row('thread', args.threadId)?.status === 'ready', 'the answer ends')
  expect(wire.row('message', args.answerId)).toMatchObject({ message: { role: 'assistant', metadata: { ending: 'completed' } } })
  expect(wire.rowsOf('usage')).toMatchObject([{ contentRows: storedContentRows.guest, credits: 1 }])
  const refused = wire.mutate('threads.send', turnArgs('One more'))
  await wire.confirmed(refused)
  expect(wire.results.get(`${wire.clientID}/${refused}`)).toEqual(appError('content_full'))
  // It was not charged, and deleting is still possible.
  expect(wire.rowsOf('usage')).toMatchObject([{ credits: 1 }])
  const deleted = wire.mutate('threads.delete', { threadIds: [args.threadId], at: 1 })
  await wire.confirmed(deleted)
  expect(wire.results.has(`${wire.clientID}/${deleted}`)).toBe(false)
  await wire.close()
})

test('of two messages at once, D1 refuses the second when only the first fits', async () => {
  const user = await newUser()
  const wire = await connected(user, { queries: [me, recentThreads] })
  await wire.confirmed(wire.mutate('settings.update', { nickname: 'Ada' }))
  // Storage for one thread with its message; the rounded count does not show it.
  const rows = storedContentRows.guest - contentStepRows + 1
  await content.prepare('update contentUse set rows = ? where userId = ?').bind(rows, user.userId).run()
  const [first, second] = [turnArgs(), turnArgs()]
  const last = wire.push([first, second].map((args) => ({ name: 'threads.send', args })))
  await wire.confirmed(last)
  expect(refusedBy(wire)).toEqual(['content_full'])
  expect(await content.prepare('select id from message where id = ?').bind(second.messageId).first()).toBeNull()
  expect(await content.prepare('select id from message where id = ?').bind(first.messageId).first()).not.toBeNull()
  await wire.close()
})

const clientsOf = async (groupID: string): Promise<string[]> => {
  const { results } = await content
    .prepare('select clientID from clientProgress where clientGroupID = ?')
    .bind(groupID)
    .all<{ clientID: string }>()
  return results.map(({ clientID }) => clientID)
}
/** Progress rows of a group up to its limit, each a minute younger than the one before it. */
const fillGroup = (userId: string, groupID: string, oldestAt: number) =>
  content
    .prepare(
      `with recursive n (i) as (select 0 union all select i + 1 from n where i + 1 < ?4)
     insert into clientProgress (userId, clientGroupID, clientID, lastMutationID, updatedAt)
       select ?1, ?2, 'client-' || i, 3, ?3 + i * 60000 from n`,
    )
    .bind(userId, groupID, oldestAt, maxClientsPerGroup)
    .run()
const nickname = { name: 'settings.update', args: { nickname: 'New' } }

test('[P9] a new client of a full group replaces the one that has been idle longest', async () => {
  const user = await newUser()
  const groupID = freshId('group')
  await fillGroup(user.userId, groupID, Date.now() - clientIdleMs - 3_600_000)
  // The oldest is connected, and the next has an unsent error.
  const oldest = await connected(user, { params: { clientGroupID: groupID, clientID: 'client-0' }, queries: [me] })
  await insert(content, 'mutationResult', {
    ...{ userId: user.userId, clientGroupID: groupID, clientID: 'client-1', mutationID: 3, result: '{"error":"app"}', createdAt: 1 },
  })
  const added = await connected(user, { params: { clientGroupID: groupID }, queries: [me] })
  await added.confirmed(added.push([nickname]))
  const left = await clientsOf(groupID)
  expect(left).toHaveLength(maxClientsPerGroup)
  expect(left).toEqual(expect.arrayContaining(['client-0', 'client-1', 'client-3', added.clientID]))
  expect(left).not.toContain('client-2')
  const held = await inside(user, (_object, state) =>
    [...state.storage.sql.exec('select clientID from sync_client where groupID = ?', groupID)].map((row) => String(row.clientID)),
  )
  expect(held.toSorted()).toEqual(left.toSorted())
  // The connected client keeps its progress.
  await oldest.confirmed(oldest.push([{ ...nickname, id: 4 }]))
  for (const wire of [oldest, added]) await wire.close()
})

test('[P9] a new client of a full group without idle clients receives ServerOverloaded and adds no row', async () => {
  const user = await newUser()
  const groupID = freshId('group')
  await fillGroup(user.userId, groupID, Date.now() - clientIdleMs + 3_600_000)
  const known = await connected(user, { params: { clientGroupID: groupID, clientID: 'client-7' }, queries: [me] })
  const added = await connectWire(user, { params: { clientGroupID: groupID }, queries: [me] })
  await added.receives('pokeEnd')
  added.push([nickname])
  expect(await added.receives('error')).toMatchObject({ kind: 'ServerOverloaded' })
  expect(await clientsOf(groupID)).toHaveLength(maxClientsPerGroup)
  await known.confirmed(known.push([{ ...nickname, id: 4 }]))
  await known.close()
})

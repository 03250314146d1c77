// Limits of credits that users set, over the sync protocol.
import { expect, test } from 'vitest'
import { content } from './bindings.ts'
import { connected, freshId, me, newUser, recentThreads, threadList, turnArgs } from './sync-wire.ts'
import { until } from './until.ts'

const setLimit = (dailyCreditLimit: number | null) => ({ name: 'settings.update', args: { dailyCreditLimit } })

test('D1 decides on a limit of the user, also when the limit and the messages arrive together', async () => {
  const user = await newUser()
  const wire = await connected(user, { queries: [me, threadList] })
  const ids = wire.push([setLimit(2), ...Array.from({ length: 4 }, () => ({ name: 'threads.send', args: turnArgs() }))])
  await wire.confirmed(ids)
  const codes = [...wire.results.values()].map((result) => (result as { message?: string }).message)
  expect(codes).toEqual(['own_daily_limit_reached', 'own_daily_limit_reached'])
  await wire.until(() => wire.row('usage', user.userId)?.dailyCreditLimit === 2, 'the limit')
  expect(wire.row('usage', user.userId)).toMatchObject({ credits: 2, monthCredits: 2 })
  await wire.close()
})

test('a queued message that the limit holds is sent when the user lifts the limit', async () => {
  const user = await newUser()
  const wire = await connected(user, { queries: [me, recentThreads] })
  await wire.confirmed(wire.push([setLimit(1)]))
  const threadId = freshId('thread')
  await wire.confirmed(wire.mutate('threads.send', turnArgs('/demo chunks=20 delay=20', threadId)))
  const queued = { id: freshId('queued'), answerId: freshId('answer'), threadId, modelId: 'kimi-k2', text: '/demo chunks=1 delay=0', at: 1 }
  await wire.confirmed(wire.mutate('queue.add', queued))
  await wire.until(() => wire.row('queuedMessage', queued.id)?.hold === 'own_daily_limit_reached', 'held')
  await wire.confirmed(wire.push([setLimit(null)]))
  const answers = async () =>
    (await content.prepare("select id from generation where queuedId = ? and status = 'completed'").bind(queued.id).all()).results
  await until(answers, ({ length }) => length === 1, 'the answer to what was queued')
  await wire.close()
})

test.each([[0], [-1], [1.5], [1_000_001], ['5']])('%j is no limit', async (limit) => {
  const wire = await connected(await newUser(), { queries: [me] })
  await wire.confirmed(wire.mutate('settings.update', { monthlyCreditLimit: limit }))
  expect([...wire.results.values()]).toMatchObject([{ error: 'app', message: 'invalid_request' }])
  await wire.close()
})

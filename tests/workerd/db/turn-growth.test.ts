// The growth of the databases by one turn, as in docs/scaling.md, and the rows it writes, as in docs/deployment.md. Counts and bytes, so the same on every machine.
import { expect, test } from 'vitest'
import { content, env } from '../bindings.ts'
import { countD1Rows } from '../count-rows.ts'
import { connected, me, newUser, recentThreads, turnArgs } from '../sync-wire.ts'

const turns = 20
/** Each starts a thread, which is the most expensive turn. The answer has about 2,000 characters. */
const command = '/demo chunks=250 delay=0'

async function measured(userId: string) {
  const count = async (table: string, column = 'userId', value = userId) =>
    (await content.prepare(`select count(*) n from ${table} where ${column} = ?`).bind(value).first<number>('n')) ?? 0
  const { meta } = await content.prepare('select 1').run()
  return {
    feed: await count('contentChange', 'scope', `user:${userId}`),
    ledger: await count('creditLedger'),
    messages: await count('message'),
    bytes: meta.size_after,
  }
}

test('a turn writes at most 70 rows, adds at most 14 feed rows and 8 KB, and nothing to the directory feed', async () => {
  const user = await newUser()
  const wire = await connected(user, { queries: [me, recentThreads] })
  const [before, directoryBefore] = [await measured(user.userId), await directoryRows()]
  const written = countD1Rows(content)
  for (let n = 0; n < turns; n++) {
    const args = turnArgs(command)
    await wire.confirmed(wire.mutate('threads.send', args))
    await wire.until(() => wire.row('thread', args.threadId)?.status === 'ready', 'the answer ends')
  }
  await wire.close()
  const writtenPerTurn = written.count / turns
  const after = await measured(user.userId)
  const perTurn = {
    feed: (after.feed - before.feed) / turns,
    ledger: (after.ledger - before.ledger) / turns,
    messages: (after.messages - before.messages) / turns,
    bytes: (after.bytes - before.bytes) / turns,
  }
  console.info(JSON.stringify({ ...perTurn, written: writtenPerTurn }))
  expect(writtenPerTurn).toBeGreaterThan(30)
  expect(writtenPerTurn).toBeLessThanOrEqual(70)
  expect(perTurn).toMatchObject({ ledger: 2, messages: 2 })
  expect(perTurn.feed).toBeGreaterThan(5)
  expect(perTurn.feed).toBeLessThanOrEqual(14)
  expect(perTurn.bytes).toBeLessThan(8192)
  expect(await directoryRows()).toBe(directoryBefore)
})

const directoryRows = async () => (await env.DB.prepare('select count(*) n from directoryChange').first<number>('n')) ?? 0

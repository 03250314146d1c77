// The window of messages: what opening a thread reads and sends does not depend on its length.
import { expect, test } from 'vitest'
import { messagePageSize } from '../../worker/contract/limits.ts'
import { messageWindow } from '../support/message-windows.ts'
import { countSqlReads } from './count-rows.ts'
import { inside } from './sync-object.ts'
import { connected, me, newUser, putQuery, type SyncUser, type Wire } from './sync-wire.ts'

const threadId = 'a-thread-of-messages'
const thread = { hash: 'thread', name: 'threads.one', args: [{ threadId }] }

/** Rows that exist only in the replica. */
const fill = (user: SyncUser, messages: number): Promise<void> =>
  inside(user, (_object, { storage: { sql } }) => {
    sql.exec('insert into thread (id, userId, status, createdAt, updatedAt) values (?, ?, ?, 1, 1)', threadId, user.userId, 'ready')
    sql.exec(
      `with recursive n (i) as (select ?3 union all select i - 1 from n where i > 1)
       insert into message (id, threadId, userId, message, createdAt, updatedAt)
       select printf('message-%06d', ?4 - i), ?1, ?2, json_object('id', printf('%06d', i), 'role', 'user', 'parts', json_array()), ?4 - i, 1 from n`,
      ...[threadId, user.userId, messages, 1_000_000],
    )
  })

async function opened(messages: number) {
  const user = await newUser()
  const wire = await connected(user, { queries: [me] })
  await fill(user, messages)
  const framesBefore = wire.frames.length
  const reads = await inside(user, (_object, { storage }) => countSqlReads(storage))
  wire.send(['changeDesiredQueries', { desiredQueriesPatch: [thread, messageWindow(threadId, messagePageSize)].map(putQuery) }])
  await wire.until(() => wire.got.size === 3, 'the thread')
  const sentChars = wire.frames
    .slice(framesBefore)
    .filter(([tag]) => tag === 'pokePart')
    .reduce((chars, [, { rowsPatch }]) => chars + JSON.stringify(rowsPatch ?? []).replaceAll(user.userId, '').length, 0)
  const ids = wire.rowsOf('message').map(({ id }) => String(id))
  return { user, wire, figures: { rowsRead: await inside(user, () => reads()), sentChars, ids: ids.sort() } }
}

const grow = async (wire: Wire, limit: number): Promise<number> => {
  const before = wire.rowOps
  wire.send(['changeDesiredQueries', { desiredQueriesPatch: [putQuery({ ...messageWindow(threadId, limit), hash: `of-${limit}` })] }])
  await wire.until(() => wire.got.has(`of-${limit}`), 'the larger window')
  return wire.rowOps - before
}

test('[E11] opening a thread of 5,000 messages reads and sends as much as one of 100', async () => {
  const [short, long] = [await opened(100), await opened(5000)]
  expect(long.figures).toEqual(short.figures)
  expect(long.figures.ids).toHaveLength(messagePageSize)
  expect(long.figures.rowsRead).toBeLessThan(10 * messagePageSize)
  for (const { wire } of [short, long]) await wire.close()
})

test('[E21] scrolling to the first of 1,000 messages sends each message once', async () => {
  const { wire, figures } = await opened(1000)
  const sent = [figures.ids.length]
  for (let limit = 2 * messagePageSize; (sent.at(-1) ?? 0) > 0; limit *= 2) sent.push(await grow(wire, limit))
  expect(sent).toEqual([50, 50, 100, 200, 400, 200, 0])
  await wire.close()
})

// What a wake costs somebody with a past, in rows read: a count, and therefore the same on every machine. Rules: worker/sync/SPEC.md, H4.
import { expect, test } from 'vitest'
import { countSqlReads } from './count-rows.ts'
import {
  connected,
  env,
  evict,
  freshId,
  inside,
  me,
  newPerson,
  type Person,
  putQuery,
  recentThreads,
  threadList,
  type Wire,
  type WireQuery,
} from './sync-wire.ts'

/** As many of a group as may be alive at once, less the page's own. */
const openAtOnce = 450
const page = [me, threadList, recentThreads]

const oneThread = (threadId: string): WireQuery => ({ hash: `one-${threadId}`, name: 'threads.one', args: [{ threadId }] })
const someThreads = () => Array.from({ length: openAtOnce }, () => oneThread(freshId('thread')))
const otherWindows = () =>
  Array.from({ length: openAtOnce }, (_, i): WireQuery => ({ hash: `deleted-${i}`, name: 'threads.deleted', args: [{ since: i }] }))

async function desire(wire: Wire, desiredQueriesPatch: readonly unknown[]): Promise<void> {
  wire.send(['changeDesiredQueries', { desiredQueriesPatch }])
  await wire.caughtUp()
}

async function openAndClose(wire: Wire, queries: readonly WireQuery[], ttl: number): Promise<void> {
  await desire(
    wire,
    queries.map((query) => putQuery({ ...query, ttl })),
  )
  await desire(
    wire,
    queries.map(({ hash }) => ({ op: 'del', hash })),
  )
}

/** What somebody has done who now writes with this client. */
const pasts: { readonly [past: string]: (wire: Wire, person: Person) => Promise<void> } = {
  'has closed 1,350 queries': async (wire) => {
    for (let times = 0; times < 3; times++) await openAndClose(wire, someThreads(), 0)
  },
  'has closed 450 that are kept': (wire) => openAndClose(wire, someThreads(), 600_000),
  'has closed 450 windows that are kept': (wire) => openAndClose(wire, otherWindows(), 600_000),
  'has 450 open': (wire) => desire(wire, someThreads().map(putQuery)),
  'has another browser, in which 450 were closed and 450 are open': async (_wire, person) => {
    const other = await connected(person, { queries: page })
    await openAndClose(other, someThreads(), 0)
    await desire(other, someThreads().map(putQuery))
    await other.close()
  },
}

/** Writes that none of what was opened above can have to do with. */
const writes: { readonly [write: string]: (wire: Wire, threadId: string, value: string) => number } = {
  'a setting': (wire, _threadId, nickname) => wire.mutate('settings.update', { nickname }),
  'a thread': (wire, threadId, title) => wire.mutate('threads.rename', { threadId, title }),
}
/** A window of threads concerns every thread, and of all threads there are windows here. */
const cases = Object.keys(writes).flatMap((write) =>
  Object.keys(pasts).flatMap((past) => (write === 'a thread' && past.includes('windows') ? [] : [[write, past] as const])),
)

/** Rows that are read from the end of a sleep until the write is confirmed. */
async function readAtWake(write: string, past?: string): Promise<number> {
  const person = await newPerson()
  const threadId = freshId('thread')
  await env.DB.prepare(`insert into thread (id, userId, title, status, createdAt, updatedAt) values (?1, ?2, 'Old', 'ready', ?3, ?3)`)
    .bind(threadId, person.userId, 1_780_000_000_000)
    .run()
  const wire = await connected(person, { queries: [...page, oneThread(threadId)] })
  // What anybody's storage has of it: structural columns.
  await openAndClose(wire, otherWindows().slice(0, 1), 0)
  for (const each of Object.values(writes)) await wire.confirmed(each(wire, threadId, 'Before'))
  if (past) await pasts[past]?.(wire, person)
  await evict(person)
  const read = await inside(person, (_object, { storage }) => countSqlReads(storage))
  const rowOps = wire.rowOps
  await wire.confirmed(writes[write]?.(wire, threadId, 'Woken') ?? Number.NaN)
  const rows = await inside(person, () => read())
  // It did hear of its row.
  expect(wire.rowOps).toBe(rowOps + 1)
  await wire.close()
  return rows
}

test.each(cases)('[H4] woken to write %s, somebody who %s reads what anybody reads', async (write, past) => {
  const without = await readAtWake(write)
  // Another form of query and another group are looked up, and a first page that is due in one of the two is read.
  expect((await readAtWake(write, past)) - without).toBeLessThanOrEqual(20)
})

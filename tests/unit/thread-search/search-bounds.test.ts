// Bounds of a search, its isCut flag, and searches that wait. Rules: worker/thread-search/SPEC.md, L1, L2, L4 and L6.
import { beforeEach, expect, test, vi } from 'vitest'
import { maxFoundThreads } from '../../../worker/contract/limits.ts'
import { TaskQueue } from '../../../worker/sync/object/task-queue.ts'
import { findMessages, searchBudget } from '../../../worker/thread-search/find-messages.ts'
import { searchLimit, slicesPerRequest, ThreadSearch } from '../../../worker/thread-search/search.ts'
import { userId } from '../sync/replica.ts'
import { addMessage, catchUp, found, type Given, given, message, searchRequest, thread } from './searched.ts'

// Node has no `scheduler`. A pause ends when the event loop has run.
beforeEach(() => void vi.stubGlobal('scheduler', { wait: () => new Promise((resolve) => setImmediate(resolve)) }))

const look = (state: Given, query: string, without: readonly string[] = []) => {
  catchUp(state)
  const { found: threads, isCut } = findMessages(state.sql, userId, searchRequest(query, without))
  return { threads: threads.map(({ threadId }) => threadId), isCut }
}

/** Messages of one thread, each the parent of the next. */
function long(state: Given, id: string, texts: readonly string[], firstAt: number): void {
  const name = (i: number) => `${id}-${i}`
  const rows = texts.map((text, i) => ({
    table: 'message' as const,
    id: { id: name(i) },
    row: {
      ...{ id: name(i), userId, threadId: id, parentId: i === 0 ? null : name(i - 1), createdAt: firstAt + i, updatedAt: 1 },
      message: { id: name(i), role: 'user', parts: [{ type: 'text', text }] },
    },
  }))
  state.sql.transaction(() => void state.engine.apply(rows))
  thread(state, id, name(texts.length - 1))
}

/** A user's object, reduced to its lock and its search. */
function object(state: Given) {
  const queue = new TaskQueue<never>(async () => 'done')
  const searches = new ThreadSearch()
  const searched = { state, userId, isImporting: false }
  const search = (query: string, nowMs = 0) => searches.run(searched, searchRequest(query), (step) => queue.run(async () => step()), nowMs)
  return { queue, search }
}

test('[L1] excluded threads are skipped, so that older ones are found', () => {
  const state = given()
  for (let i = 0; i < 60; i++) addMessage(state, `thread-${i}`, 'about snakes', i)
  const newest = (from: number) => Array.from({ length: maxFoundThreads }, (_, i) => `thread-${from - i}`)
  const has = Array.from({ length: 10 }, (_, i) => `thread-${59 - i}`)
  expect(look(state, 'snakes')).toEqual({ threads: newest(59), isCut: true })
  expect(look(state, 'snakes', has)).toEqual({ threads: newest(49), isCut: true })
  const all = Array.from({ length: 60 - maxFoundThreads }, (_, i) => `thread-${59 - i}`)
  expect(look(state, 'snakes', all)).toEqual({ threads: newest(maxFoundThreads - 1), isCut: false })
})

test('[L1] a thread with many matches does not hide others', () => {
  const state = given()
  addMessage(state, 'old', 'snakes long ago', 1)
  long(
    state,
    'big',
    Array.from({ length: 401 }, (_, i) => `snakes ${i}`),
    100,
  )
  expect(look(state, 'snakes')).toEqual({ threads: ['big', 'old'], isCut: false })
  expect(look(state, 'snakes', ['big'])).toEqual({ threads: ['old'], isCut: false })
})

test('[L1] reads a limited number of rows and sets isCut', () => {
  const state = given()
  addMessage(state, 'old', 'snakes long ago', 1)
  long(
    state,
    'big',
    Array.from({ length: searchBudget.rows }, (_, i) => `snakes ${i}`),
    100,
  )
  expect(look(state, 'snakes', ['big'])).toEqual({ threads: [], isCut: true })
  expect(look(state, 'long ago', ['big'])).toEqual({ threads: ['old'], isCut: false })
  // Messages between a match and the head count too, and a branch above the limit is not read to its end.
  long(state, 'deep', ['mice', ...Array.from({ length: searchBudget.rows + 1 }, () => 'cats')], 10_000)
  expect(look(state, 'mice')).toEqual({ threads: [], isCut: true })
})

test('[L1] reads a limited amount of text; smaller messages are still read', () => {
  const state = given()
  const filler = 'x '.repeat(searchBudget.bytes / 5)
  addMessage(state, 'small', 'snakes eat mice', 1)
  // The words match and the symbol does not: only the text shows it.
  for (let i = 0; i < 5; i++) addMessage(state, `large-${i}`, `snakes ${filler}`, 10 + i)
  expect(look(state, 'snakes eat')).toEqual({ threads: ['small'], isCut: false })
  addMessage(state, 'signs', 'snakes +', 2)
  expect(look(state, 'snakes +')).toEqual({ threads: ['signs'], isCut: true })
})

test('[L6] finds words by their beginning, with and without diacritics; sets isCut for a request without words', () => {
  const state = given()
  addMessage(state, 'code', 'JavaScript :-) 🙂 and foo**bar** in |moon|sea|')
  for (const query of ['javas', 'foobar', 'bar', 'sea', '🙂 java']) expect(look(state, query)).toEqual({ threads: ['code'], isCut: false })
  expect(look(state, 'script')).toEqual({ threads: [], isCut: false })
  for (const query of ['🙂', ':-)', '***']) expect(look(state, query)).toEqual({ threads: [], isCut: true })
})

test('[L2] updates the index in slices of messages and bytes, also within one log row', () => {
  const state = given()
  addMessage(state, 'first', 'before')
  catchUp(state)
  long(
    state,
    'packed',
    Array.from({ length: 450 }, (_, i) => `word${i}`),
    10,
  )
  expect(state.sql.all('select count(*) n from z_log')).not.toEqual([{ n: 450 }])
  expect(catchUp(state)).toBe(3)
  for (const i of [0, 99, 100, 199, 200, 449]) expect(found(state, `word${i}`)).toEqual(['packed'])
  long(
    state,
    'heavy',
    Array.from({ length: 8 }, (_, i) => `heavy${i} ${'ö'.repeat(100_000)}`),
    1000,
  )
  // Two messages fit into a slice. The thread is indexed with the last slice.
  expect(catchUp(state)).toBe(4)
  for (let i = 0; i < 8; i++) expect(found(state, `heavy${i}`)).toEqual(['heavy'])
  const bytes = state.sql.all("select id from search_message where id like 'heavy%'")
  expect(bytes).toHaveLength(8)
})

test('[L2] reads a message that changed often once', () => {
  const state = given()
  addMessage(state, 'thread', 'before')
  catchUp(state)
  for (let i = 0; i < 20; i++) message(state, 'thread-message', 'thread', null, `draft${i} ${'x'.repeat(300_000)}`)
  expect(catchUp(state)).toBe(1)
  expect([found(state, 'draft3'), found(state, 'draft19')]).toEqual([[], ['thread']])
})

test('[L2] other tasks run between slices, and later writes do not hide matches', async () => {
  const state = given()
  for (let i = 0; i < 450; i++) addMessage(state, `thread-${i}`, `number${i}end`, i)
  const { queue, search } = object(state)
  let turns = 0
  let isWriting = true
  // A task always waits, and every task makes the index stale.
  const others = (async () => {
    for (; isWriting; turns++) {
      await queue.run(async () => addMessage(state, `other-${turns}`, 'written meanwhile'))
      await new Promise((resolve) => setImmediate(resolve))
    }
  })()
  const answer = await search('number7end')
  isWriting = false
  await others
  expect(answer).toMatchObject({ found: [{ threadId: 'thread-7' }], isComplete: true, isCut: false })
  expect(turns).toBeGreaterThanOrEqual(3)
})

test('[L2] the event loop runs after each slice', async () => {
  const state = given()
  for (let i = 0; i < 450; i++) addMessage(state, `thread-${i}`, `number${i}end`, i)
  const indexed: unknown[] = []
  let isDone = false
  const look = () => {
    indexed.push(state.sql.all("select count(*) n from sqlite_master where name = 'search_message'").length)
    if (!isDone) setImmediate(look)
  }
  setImmediate(look)
  await object(state).search('number7end')
  isDone = true
  // Without a pause, no callback of the event loop would have run.
  expect(indexed.length).toBeGreaterThanOrEqual(2)
})

test('[L2] a request indexes a bounded number of slices and answers with what it has; the next one continues', async () => {
  const state = given()
  const count = 200 * slicesPerRequest + 1
  const digits = (i: number) => String(i).padStart(5, '0')
  const rows = Array.from({ length: count }, (_, i) => [
    {
      ...{ table: 'thread' as const, id: { id: `thread-${digits(i)}` } },
      row: { id: `thread-${digits(i)}`, userId, status: 'ready', headId: `message-${digits(i)}`, createdAt: i, updatedAt: i },
    },
    {
      ...{ table: 'message' as const, id: { id: `message-${digits(i)}` } },
      row: {
        ...{ id: `message-${digits(i)}`, userId, threadId: `thread-${digits(i)}`, parentId: null, createdAt: i, updatedAt: i },
        message: { id: `message-${digits(i)}`, role: 'user', parts: [{ type: 'text', text: `word${digits(i)}` }] },
      },
    },
  ])
  state.sql.transaction(() => void state.engine.apply(rows.flat()))
  const { search } = object(state)
  // Indexed in the order of the ids.
  const [first, last] = [`word${digits(0)}`, `word${digits(count - 1)}`]
  expect(await search(first)).toMatchObject({ found: [{ threadId: `thread-${digits(0)}` }], isComplete: false })
  expect(state.sql.all('select count(*) n from search_message')).toEqual([{ n: count - 1 }])
  expect(await search(last)).toMatchObject({ found: [{ threadId: `thread-${digits(count - 1)}` }], isComplete: true })
})

test('[L2] a task after the last slice does not change the answer', async () => {
  const state = given()
  addMessage(state, 'thread', 'the words')
  const { queue, search } = object(state)
  const answer = search('words')
  const other = queue.run(async () => void addMessage(state, 'later', 'something else'))
  expect(await answer).toMatchObject({ found: [{ threadId: 'thread' }], isComplete: true })
  await other
})

test('[L4] of several waiting searches the newest continues and the others are refused', async () => {
  const state = given()
  for (let i = 0; i < 450; i++) addMessage(state, `thread-${i}`, `number${i}end`, i)
  const { queue, search } = object(state)
  const answers = Promise.all(['number1end', 'number2end', 'number3end'].map((query) => search(query)))
  const taken = queue.run(async () => state.sql.all('select count(*) n from search_message'))
  expect(await answers).toMatchObject(['rate_limited', 'rate_limited', { found: [{ threadId: 'thread-3' }] }])
  // One slice for all three searches.
  expect(await taken).toEqual([{ n: 200 }])
})

test('[L4] limits searches by burst and rate', async () => {
  const state = given()
  addMessage(state, 'thread', 'the words')
  catchUp(state)
  const { search } = object(state)
  const refused = async (count: number, nowMs: number) => {
    const answers = await Promise.all(Array.from({ length: count }, () => search('words', nowMs)))
    return answers.filter((answer) => answer === 'rate_limited').length
  }
  expect(await refused(searchLimit.burst + 5, 0)).toBe(5)
  expect(await refused(searchLimit.perSecond + 1, 1000)).toBe(1)
})

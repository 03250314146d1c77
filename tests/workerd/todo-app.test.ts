// Another application on the same sync server: connect, push, poke, reconnect and errors, with the real Zero client. The server has no rule
// for it; what holds here holds for any schema. Rules: worker/sync/SPEC.md, C, P, K, F and X.
import { evictDurableObject } from 'cloudflare:test'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { mutators, queries } from '../support/todo-app/app.ts'
import { closeTodos, createTodoTables, cutConnections, env, openTodo, type TodoZero } from './todo-client.ts'
import { until } from './until.ts'

beforeAll(async () => {
  await createTodoTables()
})
afterEach(async () => {
  await closeTodos()
})

let made = 0
const freshUser = () => `user-${++made}`

const run = (sql: string, ...values: (string | number)[]) =>
  env.TODO_DB.prepare(sql)
    .bind(...values)
    .run()

/** The lists of a client, as it shows them now and later. */
function listsOf(zero: TodoZero) {
  const view = zero.materialize(queries.lists.mine())
  let rows: readonly { readonly title: string; readonly items: readonly { readonly text: string; readonly isDone: boolean }[] }[] = []
  let isComplete = false
  view.addListener((data, result) => {
    rows = structuredClone(data) as typeof rows
    isComplete = result === 'complete'
  })
  const titles = () => rows.map(({ title }) => title)
  const items = () => rows.flatMap((list) => list.items.map(({ text, isDone }) => `${text}${isDone ? ' done' : ''}`)).sort()
  return { titles, items, complete: () => until(() => isComplete, Boolean, 'a complete answer') }
}

const create = (zero: TodoZero, id: string, title: string) => zero.mutate(mutators.lists.create({ id, title })).server
const add = (zero: TodoZero, id: string, listId: string, text: string) => zero.mutate(mutators.items.add({ id, listId, text })).server

describe('connect', () => {
  test('imports all pages of existing rows and calls the query complete', async () => {
    const userId = freshUser()
    for (let i = 0; i < 8; i++) await run('insert into list values (?, ?, ?)', `${userId}-${i}`, userId, `List ${i}`)
    await run('insert into list values (?, ?, ?)', `${userId}-foreign`, 'another-user', 'Foreign')
    const lists = listsOf(await openTodo(userId))
    await lists.complete()
    expect(lists.titles()).toEqual(Array.from({ length: 8 }, (_, i) => `List ${i}`))
  })

  test('sends related rows', async () => {
    const userId = freshUser()
    await run('insert into list values (?, ?, ?)', `${userId}-a`, userId, 'Shopping')
    await run('insert into item values (?, ?, ?, ?, 0)', `${userId}-i`, `${userId}-a`, userId, 'Milk')
    const lists = listsOf(await openTodo(userId))
    await lists.complete()
    expect(lists.items()).toEqual(['Milk'])
  })
})

describe('push', () => {
  test('writes a mutation once and confirms it', async () => {
    const userId = freshUser()
    const zero = await openTodo(userId)
    expect(await create(zero, `${userId}-a`, 'Shopping')).toMatchObject({ type: 'success' })
    expect(await add(zero, `${userId}-i`, `${userId}-a`, 'Milk')).toMatchObject({ type: 'success' })
    const { results } = await env.TODO_DB.prepare('select text from item where userId = ?').bind(userId).all()
    expect(results).toEqual([{ text: 'Milk' }])
    const progress = await env.TODO_DB.prepare('select lastMutationID from progress where userId = ?').bind(userId).first('lastMutationID')
    expect(progress).toBe(2)
  })

  test('a refusal of the mutator reaches the client with its details, and the optimistic row is removed', async () => {
    const userId = freshUser()
    const zero = await openTodo(userId)
    const lists = listsOf(zero)
    await lists.complete()
    const result = await add(zero, `${userId}-i`, `${userId}-nowhere`, 'Milk')
    expect(result).toMatchObject({ type: 'error', error: { message: 'no such list', details: { code: 'no_list' } } })
    expect(lists.items()).toEqual([])
  })

  test('a refusal of the source reaches the client', async () => {
    const userId = freshUser()
    await run('insert into list values (?, ?, ?)', `${userId}-taken`, 'another-user', 'Foreign')
    const zero = await openTodo(userId)
    expect(await create(zero, `${userId}-taken`, 'Mine')).toMatchObject({ type: 'error', error: { message: 'The id is taken.' } })
  })
})

describe('poke', () => {
  test('a mutation of one browser reaches another, and a feature receives the commit', async () => {
    const userId = freshUser()
    const [writer, reader] = [await openTodo(userId), await openTodo(userId)]
    const lists = listsOf(reader)
    await lists.complete()
    const object = env.TODO_SYNC.getByName(userId)
    const before = await object.counted()
    await create(writer, `${userId}-a`, 'Shopping')
    await add(writer, `${userId}-i`, `${userId}-a`, 'Milk')
    await until(lists.items, (items) => items.length === 1, 'the item')
    await writer.mutate(mutators.items.setDone({ id: `${userId}-i`, isDone: true })).server
    await until(lists.items, (items) => items[0] === 'Milk done', 'the change')
    const after = await object.counted()
    expect((after?.changes ?? 0) - (before?.changes ?? 0)).toBe(3)
  })

  test('a row leaves a query whose condition it no longer meets', async () => {
    const userId = freshUser()
    const zero = await openTodo(userId)
    await create(zero, `${userId}-a`, 'Shopping')
    await add(zero, `${userId}-i`, `${userId}-a`, 'Milk')
    const reader = await openTodo(userId)
    let open: readonly unknown[] | null = null
    reader.materialize(queries.items.open()).addListener((rows, result) => {
      if (result === 'complete') open = [...(rows as readonly unknown[])]
    })
    await until(
      () => open?.length ?? -1,
      (length) => length === 1,
      'the open item',
    )
    await zero.mutate(mutators.items.setDone({ id: `${userId}-i`, isDone: true })).server
    await until(
      () => open?.length ?? -1,
      (length) => length === 0,
      'no open item',
    )
  })

  test('a write of another program arrives after a notification', async () => {
    const userId = freshUser()
    const lists = listsOf(await openTodo(userId))
    await lists.complete()
    await run('insert into list values (?, ?, ?)', `${userId}-a`, userId, 'From a script')
    await env.TODO_SYNC.getByName(userId).notify()
    await until(lists.titles, (titles) => titles.length === 1, 'the list')
    await run('delete from list where id = ?', `${userId}-a`)
    await env.TODO_SYNC.getByName(userId).notify()
    await until(lists.titles, (titles) => titles.length === 0, 'the deletion')
  })
})

describe('reconnect', () => {
  test('a client receives what changed while it was away, and sends what it wrote meanwhile', async () => {
    const userId = freshUser()
    const zero = await openTodo(userId)
    const lists = listsOf(zero)
    await create(zero, `${userId}-a`, 'First')
    await until(lists.titles, (titles) => titles.length === 1, 'the first list')
    cutConnections()
    await run('insert into list values (?, ?, ?)', `${userId}-b`, userId, 'Second')
    expect(await create(zero, `${userId}-c`, 'Third')).toMatchObject({ type: 'success' })
    await until(lists.titles, (titles) => titles.length === 3, 'all lists')
    expect(lists.titles()).toEqual(['First', 'Second', 'Third'])
  })

  test('an evicted object continues from its storage', async () => {
    const userId = freshUser()
    const zero = await openTodo(userId)
    const lists = listsOf(zero)
    await create(zero, `${userId}-a`, 'First')
    await evictDurableObject(env.TODO_SYNC.getByName(userId))
    expect(await create(zero, `${userId}-b`, 'Second')).toMatchObject({ type: 'success' })
    await until(lists.titles, (titles) => titles.length === 2, 'both lists')
  })
})

describe('errors', () => {
  test('a session that does not exist is refused until the client has another token', async () => {
    const userId = freshUser()
    const zero = await openTodo(userId, 'no-such-session')
    await until(
      () => zero.connection.state.current.name,
      (name) => name === 'needs-auth',
      'the refusal',
    )
    await run('insert into session values (?, ?)', 'a-real-session', userId)
    await zero.connection.connect({ auth: `${userId}:a-real-session` })
    expect(await create(zero, `${userId}-a`, 'First')).toMatchObject({ type: 'success' })
  })

  test('ending a session closes its connections', async () => {
    const userId = freshUser()
    const zero = await openTodo(userId)
    await create(zero, `${userId}-a`, 'First')
    await run('delete from session where userId = ?', userId)
    await env.TODO_SYNC.getByName(userId).endSessions([`session-of-${userId}`])
    await until(
      () => zero.connection.state.current.name,
      (name) => name === 'needs-auth',
      'the end',
    )
  })
})

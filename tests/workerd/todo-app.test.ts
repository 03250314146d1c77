import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { mutators, queries } from '../support/todo-app/app.ts'
import { closeTodos, createTodoTables, env, openTodo, type TodoZero } from './todo-client.ts'
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
})

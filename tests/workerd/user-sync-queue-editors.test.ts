// A queued message that somebody is changing is not sent in its old words. Rule U8 of worker/sync/SPEC.md.
import { beforeEach, describe, expect, test } from 'vitest'
import { queueEditorMs } from '../../worker/contract/limits.ts'
import {
  connected,
  env,
  evict,
  freshId,
  inside,
  me,
  newPerson,
  type Person,
  recentThreads,
  ringAlarm,
  turnArgs,
  type Wire,
} from './sync-wire.ts'
import { until } from './until.ts'

let ada: Person
let wire: Wire
beforeEach(async () => {
  ada = await newPerson()
  wire = await connected(ada, { queries: [me, recentThreads] })
})

const long = '/demo chunks=5000 delay=25'
const short = '/demo chunks=2 delay=0'
const heldAt = "select value from sync_meta where name = 'deadline:held'"
const heldIsDue = "update sync_meta set value = 1 where name = 'deadline:held'"

const all = async (sql: string, ...values: string[]) =>
  (
    await env.DB.prepare(sql)
      .bind(...values)
      .all<Record<string, unknown>>()
  ).results
const editorsOf = async (id: string) => {
  const [row] = await all('select editors from queuedMessage where id = ?', id)
  return row && (JSON.parse(String(row.editors)) as readonly { readonly id: string; readonly until: number }[] | null)
}
const textsOf = async (threadId: string) =>
  (await all('select message from message where threadId = ? order by createdAt, id', threadId)).flatMap(({ message }) => {
    const { role, parts } = JSON.parse(String(message))
    return role === 'user' ? [parts[0].text] : []
  })
const isReady = async (threadId: string) => (await all('select status from thread where id = ?', threadId))[0]?.status === 'ready'

const mutated = async (name: string, args: object) => {
  const id = wire.mutate(name, args)
  await wire.confirmed(id)
  return wire.results.get(`${wire.clientID}/${id}`)
}

/** A ready thread, and behind its answer a message that is open in an editor. */
async function editedQueue(): Promise<{ readonly threadId: string; readonly id: string }> {
  const args = turnArgs(long)
  await mutated('threads.send', args)
  const { threadId } = args
  const id = freshId('queued')
  await mutated('queue.add', { id, answerId: freshId('answer'), threadId, modelId: 'kimi-k2', text: short, at: 1 })
  await mutated('queue.editor', { id, editorId: 'editor-of-ada', isOpen: true, at: 1 })
  await mutated('threads.stop', { threadId })
  await until(() => isReady(threadId), Boolean, 'a ready thread')
  // The stop would hold it, which is not what is asked here.
  await mutated('queue.edit', { id, modelId: 'kimi-k2', at: 1 })
  await env.DB.prepare('update queuedMessage set hold = null where id = ?').bind(id).run()
  await ringAlarm(ada)
  // What was due by then has begun before the second of these is answered.
  for (const title of ['One', 'Two']) await mutated('threads.rename', { threadId, title })
  expect(await textsOf(threadId)).toHaveLength(1)
  return { threadId, id }
}

const sent = (threadId: string, text: string) =>
  until(
    () => textsOf(threadId),
    (texts) => texts.length === 2 && texts[1] === text,
    `${text} to be asked`,
  )

describe('[U8] a queued message that is being changed', () => {
  test('is not sent by itself, and in its new words as soon as they are saved', async () => {
    const before = Date.now()
    const { threadId, id } = await editedQueue()
    const [editor] = (await editorsOf(id)) ?? []
    expect(editor?.id).toBe('editor-of-ada')
    // By the server's clock, whatever the browser's says.
    expect(editor?.until).toBeGreaterThanOrEqual(before + queueEditorMs)
    await mutated('queue.edit', { id, text: `${short} new`, was: short, editorId: 'editor-of-ada', at: 1 })
    await sent(threadId, `${short} new`)
  })

  test('is sent as it was when the change is given up', async () => {
    const { threadId, id } = await editedQueue()
    await mutated('queue.editor', { id, editorId: 'editor-of-ada', isOpen: false, at: 1 })
    await sent(threadId, short)
  })

  test('waits for the last of several editors', async () => {
    const { threadId, id } = await editedQueue()
    await mutated('queue.editor', { id, editorId: 'editor-on-phone', isOpen: true, at: 1 })
    await mutated('queue.editor', { id, editorId: 'editor-of-ada', isOpen: false, at: 1 })
    expect((await editorsOf(id))?.map((editor) => editor.id)).toEqual(['editor-on-phone'])
    expect(await textsOf(threadId)).toHaveLength(1)
    await mutated('queue.editor', { id, editorId: 'editor-on-phone', isOpen: false, at: 1 })
    await sent(threadId, short)
  })

  test('is sent by the alarm when whoever changed it was not heard of again', async () => {
    const { threadId, id } = await editedQueue()
    const [editor] = (await editorsOf(id)) ?? []
    await inside(ada, (_object, state) => expect(state.storage.sql.exec(heldAt).one().value).toBe(editor?.until))
    await wire.close()
    await env.DB.prepare('update queuedMessage set editors = ? where id = ?')
      .bind(JSON.stringify([{ id: 'editor-of-ada', until: Date.now() - 1 }]), id)
      .run()
    await inside(ada, (_object, state) => void state.storage.sql.exec(heldIsDue))
    await evict(ada)
    await ringAlarm(ada)
    await sent(threadId, short)
  })

  test('is sent when its person says so', async () => {
    const { threadId, id } = await editedQueue()
    await mutated('queue.send', { id, at: 1 })
    await sent(threadId, short)
  })

  test('is not overwritten unseen with a change that began before another one', async () => {
    const { id } = await editedQueue()
    await mutated('queue.edit', { id, text: 'theirs', was: short, at: 1 })
    expect(await mutated('queue.edit', { id, text: 'mine', was: short, at: 1 })).toMatchObject({ details: { code: 'queued_changed' } })
    expect(await all('select text from queuedMessage where id = ?', id)).toEqual([{ text: 'theirs' }])
    await mutated('queue.edit', { id, text: 'mine', was: 'theirs', at: 1 })
    expect(await all('select text from queuedMessage where id = ?', id)).toEqual([{ text: 'mine' }])
  })
})

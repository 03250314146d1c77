// A queued message in an open editor is not sent with its old text. Rules: worker/turns/SPEC.md, U8.

import { beforeEach, describe, expect, test } from 'vitest'
import { queueEditorMs } from '../../worker/contract/limits.ts'
import { content } from './bindings.ts'
import { alarmAt, evict, fireAlarm, setAlarmAt } from './sync-object.ts'
import { connected, freshId, me, newUser, recentThreads, type SyncUser, turnArgs, type Wire } from './sync-wire.ts'
import { until } from './until.ts'

let ada: SyncUser
let wire: Wire
beforeEach(async () => {
  ada = await newUser()
  wire = await connected(ada, { queries: [me, recentThreads] })
})

const long = '/demo chunks=5000 delay=25'
const short = '/demo chunks=2 delay=0'

const all = async (sql: string, ...values: string[]) =>
  (
    await content
      .prepare(sql)
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

/** A ready thread with a queued message that is open in an editor. */
async function editedQueue(): Promise<{ readonly threadId: string; readonly id: string }> {
  const args = turnArgs(long)
  await mutated('threads.send', args)
  const { threadId } = args
  const id = freshId('queued')
  await mutated('queue.add', { id, answerId: freshId('answer'), threadId, modelId: 'kimi-k2', text: short, at: 1 })
  await mutated('queue.editor', { id, editorId: 'editor-of-ada', isOpen: true, at: 1 })
  await mutated('threads.stop', { threadId })
  await until(() => isReady(threadId), Boolean, 'a ready thread')
  // The stop would hold it, which this test does not cover.
  await mutated('queue.edit', { id, modelId: 'kimi-k2', at: 1 })
  await content.prepare('update queuedMessage set hold = null where id = ?').bind(id).run()
  await fireAlarm(ada)
  // A message that was due by then starts before the second call returns.
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

describe('[U8] a queued message in an open editor', () => {
  test('is sent with its new text when it is saved', async () => {
    const before = Date.now()
    const { threadId, id } = await editedQueue()
    const [editor] = (await editorsOf(id)) ?? []
    expect(editor?.id).toBe('editor-of-ada')
    // By the server's clock, whatever time the browser sends.
    expect(editor?.until).toBeGreaterThanOrEqual(before + queueEditorMs)
    await mutated('queue.edit', { id, text: `${short} new`, was: short, editorId: 'editor-of-ada', at: 1 })
    await sent(threadId, `${short} new`)
  })

  test('is sent unchanged when the editor is closed', async () => {
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

  test('is sent by the alarm when its editor expires', async () => {
    const { threadId, id } = await editedQueue()
    const [editor] = (await editorsOf(id)) ?? []
    expect(await alarmAt(ada, 'held')).toBe(editor?.until)
    await wire.close()
    await content
      .prepare('update queuedMessage set editors = ? where id = ?')
      .bind(JSON.stringify([{ id: 'editor-of-ada', until: Date.now() - 1 }]), id)
      .run()
    await setAlarmAt(ada, 'held', 1)
    await evict(ada)
    await fireAlarm(ada)
    await sent(threadId, short)
  })

  test('is sent when the user sends it', async () => {
    const { threadId, id } = await editedQueue()
    await mutated('queue.send', { id, at: 1 })
    await sent(threadId, short)
  })

  test('refuses an edit that started before another one', async () => {
    const { id } = await editedQueue()
    await mutated('queue.edit', { id, text: 'theirs', was: short, at: 1 })
    expect(await mutated('queue.edit', { id, text: 'mine', was: short, at: 1 })).toMatchObject({ details: { code: 'queued_changed' } })
    expect(await all('select text from queuedMessage where id = ?', id)).toEqual([{ text: 'theirs' }])
    await mutated('queue.edit', { id, text: 'mine', was: 'theirs', at: 1 })
    expect(await all('select text from queuedMessage where id = ?', id)).toEqual([{ text: 'mine' }])
  })
})

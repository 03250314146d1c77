// Drafts on the server: one for each thread, never written over an unseen revision, ended by the message that they became.
import { beforeEach, expect, test, vi } from 'vitest'
import { purgeDrafts } from '../../worker/db/cleanup.ts'
import { newId } from '../../worker/db/new-id.ts'
import { insert, threadRow } from '../support/rows.ts'
import { content } from './bindings.ts'
import { connected, me, newUser, recentThreads, type SyncUser, turnArgs, type Wire } from './sync-wire.ts'

let ada: SyncUser
let threadId: string
let desk: Wire
let phone: Wire
beforeEach(async () => {
  ada = await newUser()
  threadId = newId()
  await insert(content, 'thread', threadRow(ada.userId, { id: threadId }))
  const queries = [
    me,
    recentThreads,
    { hash: 'of-thread', name: 'drafts.one', args: [{ threadId }] },
    { hash: 'of-next', name: 'drafts.one', args: [{ threadId: null }] },
  ]
  ;[desk, phone] = [await connected(ada, { queries }), await connected(ada, { queries })]
})

const save = (wire: Wire, text: string, base: string | null, revision: string = newId(), of: string | null = threadId) =>
  wire.refusalOf('drafts.save', { threadId: of, text, revision, base })
const textIn = (wire: Wire, id = threadId) => wire.row('draft', id)?.text
const bytes = () =>
  content.prepare('select bytes, rows from contentUse where userId = ?').bind(ada.userId).first<{ bytes: number; rows: number }>()

test('a device does not write over a revision that it has not seen', async () => {
  const [first, second] = [newId(), newId()]
  expect(await save(desk, 'At the desk', null, first)).toBeUndefined()
  await phone.until(() => textIn(phone) === 'At the desk', 'the draft')
  expect(await save(phone, 'On the train, offline', null)).toBe('draft_changed')
  expect(await save(phone, 'At the desk, then the phone', first, second)).toBeUndefined()
  // A repeated write.
  expect(await save(phone, 'At the desk, then the phone', first, second)).toBeUndefined()
  await desk.until(() => textIn(desk) === 'At the desk, then the phone', 'the change')
  expect(await save(desk, 'Old', first)).toBe('draft_changed')
  // Deleted: the row has no text, and other devices may start a new draft.
  expect(await save(desk, '', second)).toBeUndefined()
  await phone.until(() => textIn(phone) === '', 'the end of the draft')
  expect(await save(phone, 'New', first)).toBeUndefined()
})

test('has one row for a thread, and counts its bytes until it is sent', async () => {
  const before = await bytes()
  const revision = newId()
  await save(desk, 'A draft of 22 letters.', null, revision)
  expect(await bytes()).toEqual({ bytes: (before?.bytes ?? 0) + 22, rows: before?.rows })
  const sent = { ...turnArgs('/demo chunks=1 delay=0', threadId), parentId: null }
  // Another message does not end it, and neither does one that was another revision of it.
  expect(await desk.refusalOf('threads.send', { ...sent, draft: newId() })).toBeUndefined()
  expect(textIn(desk)).toBe('A draft of 22 letters.')
  expect(
    await desk.refusalOf('queue.add', {
      ...turnArgs('Next', threadId),
      id: newId(),
      parentId: undefined,
      messageId: undefined,
      draft: revision,
    }),
  ).toBeUndefined()
  await phone.until(() => textIn(phone) === '', 'the end of the draft')
  const { results } = await content.prepare('select text, deletedAt is null isOpen from draft where userId = ?').bind(ada.userId).all()
  expect(results).toEqual([{ text: '', isOpen: 0 }])
})

test('the origins of its text follow it to other devices, into the queue and into the message', async () => {
  const revision = newId()
  await desk.refusalOf('drafts.save', { threadId, text: 'A prompt', revision, base: null, origins: ['notes'] })
  await phone.until(() => textIn(phone) === 'A prompt', 'the draft')
  expect(phone.row('draft', threadId)?.origins).toEqual(['notes'])
  await save(desk, 'My words', revision)
  await phone.until(() => textIn(phone) === 'My words', 'the change')
  expect(phone.row('draft', threadId)?.origins).toBeNull()

  const originsOf = async (id: string) => {
    const stored = await content.prepare('select message from message where id = ?').bind(id).first<string>('message')
    return (JSON.parse(stored ?? '{}') as { origins?: unknown }).origins
  }
  const sent = { ...turnArgs('/demo chunks=400 delay=20', threadId), origins: ['notes'] }
  await desk.refusalOf('threads.send', sent)
  expect(await originsOf(sent.messageId)).toEqual(['notes'])
  const { messageId: id, ...next } = { ...turnArgs('/demo chunks=1 delay=0', threadId), parentId: undefined, origins: ['mail'] }
  await desk.refusalOf('queue.add', { ...next, id })
  await desk.refusalOf('threads.stop', { threadId })
  await vi.waitUntil(
    async () => (await content.prepare('select hold from queuedMessage where id = ?').bind(id).first('hold')) !== null,
    20_000,
  )
  await desk.refusalOf('queue.send', { id, at: 1 })
  expect(await originsOf(id)).toEqual(['mail'])
  expect(await desk.refusalOf('threads.send', { ...turnArgs('Hi'), origins: ['no id!'] })).toBe('invalid_request')
})

test('the draft of the next thread ends with the message that starts the thread', async () => {
  const revision = newId()
  await save(desk, 'Hello', null, revision, null)
  await phone.until(() => textIn(phone, `new:${ada.userId}`) === 'Hello', 'the draft')
  expect(await desk.refusalOf('threads.send', { ...turnArgs('/demo chunks=1 delay=0'), draft: revision })).toBeUndefined()
  await phone.until(() => textIn(phone, `new:${ada.userId}`) === '', 'the end of the draft')
  expect(await save(phone, 'Next', null, newId(), null)).toBeUndefined()
  expect(textIn(phone, `new:${ada.userId}`)).toBe('Next')
})

test('is refused for a thread that is deleted, and purged with it', async () => {
  await save(desk, 'Hello', null)
  expect(await desk.refusalOf('threads.delete', { threadIds: [threadId], at: 1 })).toBeUndefined()
  expect(await save(desk, 'Again', null)).toBe('not_found')
  await content.prepare('delete from thread where id = ?').bind(threadId).run()
  expect(await content.prepare('select count(*) n from draft where userId = ?').bind(ada.userId).first('n')).toBe(0)
  expect(await bytes()).toMatchObject({ bytes: 0, rows: 0 })
})

test('the row of an ended draft is purged after 30 days', async () => {
  const revision = newId()
  await save(desk, 'Hello', null, revision)
  await save(desk, '', revision)
  const count = () => content.prepare('select count(*) n from draft where userId = ?').bind(ada.userId).first('n')
  await purgeDrafts(content, Date.now())
  expect(await count()).toBe(1)
  await purgeDrafts(content, Date.now() + 31 * 24 * 60 * 60 * 1000)
  expect(await count()).toBe(0)
})

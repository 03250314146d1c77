// Pins, the archive and projects: their lists, selections as one mutation, and what a project adds to a turn.
import { beforeEach, expect, test } from 'vitest'
import { maxProjects, maxThreadsPerMutation } from '../../worker/contract/limits.ts'
import { purgeProjects } from '../../worker/db/cleanup.ts'
import { newId } from '../../worker/db/new-id.ts'
import { insert, projectRow, threadRow } from '../support/rows.ts'
import { content } from './bindings.ts'
import { connected, me, newUser, recentThreads, type SyncUser, threadList, turnArgs, type Wire } from './sync-wire.ts'

const pinned = { hash: 'pinned', name: 'threads.pinned', args: [] }
const archived = { hash: 'archived', name: 'threads.archived', args: [{ limit: 50 }] }
const projects = { hash: 'projects', name: 'projects.all', args: [] }
const ofProject = (projectId: string) => ({ hash: 'ofProject', name: 'threads.ofProject', args: [{ projectId, limit: 50 }] })

let ada: SyncUser
let wire: Wire
let threadIds: string[]
beforeEach(async () => {
  ada = await newUser()
  threadIds = [newId(), newId(), newId()]
  for (const id of threadIds) await insert(content, 'thread', threadRow(ada.userId, { id }))
  wire = await connected(ada, { queries: [me, recentThreads] })
})

const code = (name: string, args: object) => wire.refusalOf(name, args)
/** The threads that a browser with only this query receives. */
const listed = async (query: { readonly hash: string; readonly name?: string; readonly args?: readonly unknown[] }): Promise<unknown[]> => {
  const other = await connected(ada, { queries: [query] })
  const ids = other.rowsOf('thread').map(({ id }) => id)
  await other.close()
  return ids.sort()
}
const column = (name: string, id: string) => content.prepare(`select ${name} value from thread where id = ?`).bind(id).first('value')

test('pins several threads at once and lists them, and unpins them', async () => {
  const some = threadIds.slice(0, 2)
  expect(await code('threads.pin', { threadIds: some, isPinned: true, at: 1 })).toBeUndefined()
  expect(await listed(pinned)).toEqual([...some].sort())
  expect(await code('threads.pin', { threadIds: some, isPinned: false, at: 1 })).toBeUndefined()
  expect(await listed(pinned)).toEqual([])
})

test('an archived thread is only in the archive, until a message restores it', async () => {
  const [first = ''] = threadIds
  expect(await code('threads.archive', { threadIds: [first], isArchived: true, at: 1 })).toBeUndefined()
  expect(await listed(threadList)).not.toContain(first)
  expect(await listed(recentThreads)).not.toContain(first)
  expect(await listed(archived)).toEqual([first])
  const { threadId: _, ...question } = turnArgs('/demo chunks=1 delay=0')
  expect(await code('threads.send', { ...question, threadId: first })).toBeUndefined()
  expect(await listed(archived)).toEqual([])
  expect(await listed(threadList)).toContain(first)
})

test('deletes and restores a selection; a thread that is gone already is left out', async () => {
  const [first = '', second = ''] = threadIds
  expect(await code('threads.delete', { threadIds: [first], at: 1 })).toBeUndefined()
  expect(await code('threads.delete', { threadIds, at: 1 })).toBeUndefined()
  expect(await listed(threadList)).toEqual([])
  expect(await code('threads.delete', { threadIds: [second], at: 1 })).toBe('not_found')
  expect(await code('threads.restore', { threadIds: threadIds.slice(1) })).toBeUndefined()
  expect(await listed(threadList)).toEqual(threadIds.slice(1).sort())
})

test('refuses more threads than one mutation may change', async () => {
  const many = [...threadIds, ...Array.from({ length: maxThreadsPerMutation - 2 }, newId)]
  for (const name of ['delete', 'restore']) expect(await code(`threads.${name}`, { threadIds: many, at: 1 })).toBe('too_many_threads')
  expect(await code('threads.archive', { threadIds: many, isArchived: true, at: 1 })).toBe('too_many_threads')
  expect(await code('threads.move', { threadIds: many, projectId: null })).toBe('too_many_threads')
  expect(await code('threads.delete', { threadIds: many.slice(0, -1), at: 1 })).toBeUndefined()
  expect(await listed(threadList)).toEqual([])
})

test('moves threads into a project and out of it; a deleted project keeps its threads', async () => {
  const id = newId()
  expect(await code('projects.create', { id, name: ' Tea\u202e ', color: 'green', icon: 'book', at: 1 })).toBeUndefined()
  expect(await content.prepare('select name, color, icon from project where id = ?').bind(id).first()).toEqual({
    name: 'Tea',
    color: 'green',
    icon: 'book',
  })
  const [first = '', second = ''] = threadIds
  expect(await code('threads.move', { threadIds: [first, second], projectId: id })).toBeUndefined()
  expect(await listed(ofProject(id))).toEqual([first, second].sort())
  expect(await code('threads.move', { threadIds: [second], projectId: null })).toBeUndefined()
  expect(await listed(ofProject(id))).toEqual([first])
  expect(await code('projects.delete', { id, at: 1 })).toBeUndefined()
  expect(await code('threads.move', { threadIds: [second], projectId: id })).toBe('not_found')
  expect(await listed(threadList)).toContain(first)
  expect(await code('projects.restore', { id, at: 1 })).toBeUndefined()
  expect(await listed(ofProject(id))).toEqual([first])
})

test('a purged project leaves its threads without a project', async () => {
  const id = newId()
  const [first = ''] = threadIds
  await insert(content, 'project', projectRow(ada.userId, { id, deletedAt: 1 }))
  await content.prepare('update thread set projectId = ? where id = ?').bind(id, first).run()
  await purgeProjects(content, Date.now())
  expect(await column('projectId', first)).toBeNull()
})

test('refuses an empty name and more projects than the limit', async () => {
  expect(await code('projects.create', { id: newId(), name: '\u200b', at: 1 })).toBe('project_name')
  for (let i = 0; i < maxProjects; i++) await insert(content, 'project', projectRow(ada.userId))
  await expect(insert(content, 'project', projectRow(ada.userId))).rejects.toThrow('project_limit_reached')
  const fresh = await connected(ada, { queries: [me, projects] })
  expect(fresh.rowsOf('project')).toHaveLength(maxProjects)
  await fresh.close()
  expect(await code('projects.create', { id: newId(), name: 'One more', at: 1 })).toBe('project_limit_reached')
})

test('a new thread starts in a project; a project that is gone does not lose the message', async () => {
  const id = newId()
  await code('projects.create', { id, name: 'Tea', at: 1 })
  const inside = turnArgs('/demo chunks=1 delay=0')
  expect(await code('threads.send', { ...inside, projectId: id })).toBeUndefined()
  expect(await column('projectId', inside.threadId)).toBe(id)
  const outside = turnArgs('/demo chunks=1 delay=0')
  expect(await code('threads.send', { ...outside, projectId: newId() })).toBeUndefined()
  expect(await column('projectId', outside.threadId)).toBeNull()
})

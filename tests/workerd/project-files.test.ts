// Files of a project: added and removed by its owner, counted as storage while the project exists, and sent with each turn of its threads.

import { sql } from 'drizzle-orm'
import { beforeEach, expect, test } from 'vitest'
import { deletedThreadRetentionMs, maxProjectFiles } from '../../worker/contract/limits.ts'
import { fitsStorage, markUnused, removeUnused } from '../../worker/db/attachments.ts'
import { purgeProjects } from '../../worker/db/cleanup.ts'
import { newId } from '../../worker/db/new-id.ts'
import { orm } from '../../worker/db/shards.ts'
import { insert, projectRow } from '../support/rows.ts'
import { content } from './bindings.ts'
import { connected, me, newUser, recentThreads, type SyncUser, type Wire } from './sync-wire.ts'

const projects = { hash: 'projects', name: 'projects.all', args: [] }
let ada: SyncUser
let wire: Wire
let id: string
beforeEach(async () => {
  ada = await newUser()
  id = newId()
  await insert(content, 'project', projectRow(ada.userId, { id }))
  wire = await connected(ada, { queries: [me, recentThreads, projects] })
})

async function stored(): Promise<{ readonly id: string; readonly name: string; readonly mediaType: string; readonly sizeBytes: number }> {
  const file = { id: newId(), name: 'prices.txt', mediaType: 'text/plain', sizeBytes: 100 }
  const row = { ...file, userId: ada.userId, uploadId: newId(), etag: '"a"', storedAt: 1, unusedSince: 1, createdAt: 1 }
  await insert(content, 'attachment', row)
  return file
}

const code = (name: string, args: object) => wire.refusalOf(name, { at: 1, ...args })
const fileRow = (fileId: string) => content.prepare('select unusedSince, removedAt from attachment where id = ?').bind(fileId).first()
/** True if one more file of this size fits into a storage of 250 bytes. */
const fits = async (sizeBytes: number): Promise<boolean> => {
  const { fit } = await orm(content).get<{ fit: number }>(sql`select ${fitsStorage(sql`userId = ${ada.userId}`, sizeBytes, 250)} fit`)
  return fit === 1
}

test('a file is used until it is taken out, and can be put back', async () => {
  const file = await stored()
  expect(await code('projects.addFile', { id, file })).toBeUndefined()
  expect(wire.rowsOf('project')).toMatchObject([{ id, files: [file] }])
  expect(await fileRow(file.id)).toEqual({ unusedSince: null, removedAt: null })
  await markUnused(content, Date.now() + deletedThreadRetentionMs)
  expect(await removeUnused(content, ada.userId, file.id, Date.now())).toBeNull()

  expect(await code('projects.removeFile', { id, fileId: file.id })).toBeUndefined()
  expect(wire.rowsOf('project')).toMatchObject([{ id, files: [] }])
  expect(await fileRow(file.id)).toEqual({ unusedSince: expect.any(Number), removedAt: null })
  expect(await code('projects.addFile', { id, file })).toBeUndefined()
  expect(await fileRow(file.id)).toEqual({ unusedSince: null, removedAt: null })
})

test('refuses a file that is not stored, was stored with other properties, or exceeds the limit', async () => {
  const file = await stored()
  expect(await code('projects.addFile', { id, file: { ...file, id: newId() } })).toBe('file_missing')
  expect(await code('projects.addFile', { id, file: { ...file, sizeBytes: 1 } })).toBe('file_missing')
  expect(await code('projects.addFile', { id: newId(), file })).toBe('not_found')
  for (let n = 0; n < maxProjectFiles; n++) expect(await code('projects.addFile', { id, file: await stored() })).toBeUndefined()
  expect(await code('projects.addFile', { id, file })).toBe('project_files_full')
})

test('files of a deleted project free storage, count again after its restoration, and are deleted with it', async () => {
  const file = await stored()
  await code('projects.addFile', { id, file })
  expect(await fits(200)).toBe(false)
  await code('projects.delete', { id })
  expect(await fits(200)).toBe(true)
  await code('projects.restore', { id })
  expect(await fits(200)).toBe(false)

  await code('projects.delete', { id })
  await markUnused(content, Date.now() + deletedThreadRetentionMs)
  expect(await fileRow(file.id)).toMatchObject({ removedAt: null })
  const afterMs = Date.now() + deletedThreadRetentionMs + 1
  await purgeProjects(content, afterMs)
  await markUnused(content, afterMs + deletedThreadRetentionMs)
  expect(await fileRow(file.id)).toMatchObject({ removedAt: expect.any(Number) })
})

test('a project has the model that its new threads start with', async () => {
  expect(await code('projects.update', { id, modelId: 'gpt-5' })).toBeUndefined()
  expect(wire.rowsOf('project')).toMatchObject([{ id, modelId: 'gpt-5' }])
  expect(await code('projects.update', { id, modelId: 'no-such-model' })).toBe('no_model')
  expect(await code('projects.update', { id, modelId: null })).toBeUndefined()
  expect(wire.rowsOf('project')).toMatchObject([{ id, modelId: null }])
})

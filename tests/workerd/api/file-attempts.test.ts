// One upload attempted several times, on the real D1 and R2: every attempt is validated separately, and only one becomes the file.

import { expect, test } from 'vitest'
import { beginUpload, readUploaded } from '../../../worker/db/attachments.ts'
import { openFile, storeFile } from '../../../worker/db/file-store.ts'
import { newId } from '../../../worker/db/new-id.ts'
import { newUserId } from '../../../worker/db/shards.ts'
import { pngOf } from '../../support/sample-files.ts'
import { content, env } from '../bindings.ts'

const utf8 = (text: string) => new TextEncoder().encode(text)
const objects = async () => (await env.FILES?.list())?.objects.map(({ key }) => key) ?? []

test('overlapping attempts are isolated: the validated bytes are stored, and a retry does not count as another file of the hour', async () => {
  const [userId, uploadId, before] = [newUserId(env), newId(), new Set(await objects())]
  const begin = async (mediaType: 'image/png' | 'text/plain', bytes: Uint8Array, as = uploadId) => {
    const file = { id: newId(), name: 'file', mediaType, sizeBytes: bytes.length }
    return { file, bytes, begun: await beginUpload(content, { ...file, userId, uploadId: as }, { maxBytes: 1000, perHour: 1 }, Date.now()) }
  }
  const finish = ({ file, bytes }: Awaited<ReturnType<typeof begin>>) => {
    const { readable, writable } = new FixedLengthStream(bytes.length)
    const writer = writable.getWriter()
    void writer.write(bytes).then(() => writer.close())
    return storeFile(env, userId, file, readable, Date.now(), () => null)
  }
  const first = await begin('image/png', pngOf(8, 6))
  const second = await begin('text/plain', utf8('a text'))
  expect([first.begun.type, second.begun.type]).toEqual(['begun', 'begun'])
  expect(await finish(second)).toBe(true)
  expect(await finish(first)).toBe(false)
  expect(await readUploaded(content, userId, uploadId)).toEqual({ ...second.file, pages: null })
  expect((await objects()).filter((key) => !before.has(key))).toEqual([`files/${second.file.id}`])
  expect(await new Response(await openFile(env, { objectId: second.file.id })).text()).toBe('a text')
  expect((await begin('text/plain', utf8('one more'), newId())).begun.type).toBe('uploads_too_often')
})

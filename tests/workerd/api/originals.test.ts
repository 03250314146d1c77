// The original of an image that the browser scaled for models, on the real D1 and R2.
import { beforeAll, describe, expect, test } from 'vitest'
import type { AttachedFile } from '../../../worker/contract/files/files.ts'
import { originalAddress } from '../../../worker/contract/files/image-addresses.ts'
import type { ErrorBody, FileBody } from '../../../worker/contract/http.ts'
import { maxImageBytes, storedFileBytes, unusedFileTtlMs } from '../../../worker/contract/limits.ts'
import { readFile, reserveOriginal } from '../../../worker/db/attachments.ts'
import { deleteFilesOf, storeVariant } from '../../../worker/db/file-store.ts'
import { newId } from '../../../worker/db/new-id.ts'
import { runScheduledWork } from '../../../worker/scheduled.ts'
import { concat, pngOf } from '../../support/sample-files.ts'
import { type Browser, guest, origin } from '../auth/browser.ts'
import { content, env, worker } from '../bindings.ts'

type Owner = { readonly browser: Browser; readonly userId: string }

const copy = pngOf(8, 6)
const original = concat([pngOf(80, 60), new Uint8Array(1000)])
const jpeg = Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 0, 16, 74, 70)

let ada: Owner
beforeAll(async () => {
  ada = await guest()
})

async function stored({ browser }: Owner, bytes: Uint8Array = copy): Promise<AttachedFile> {
  const headers = { origin, cookie: browser.cookie, 'x-upload-id': newId(), 'x-file-name': 'tides.png' }
  const response = await worker.fetch(`${origin}/api/files`, { method: 'POST', headers, body: Uint8Array.from(bytes) })
  return ((await response.json()) as FileBody).file
}

async function sendOriginal({ browser }: Owner, file: AttachedFile, body: BodyInit) {
  const headers = { origin, cookie: browser.cookie }
  const response = await worker.fetch(origin + originalAddress(file), { method: 'POST', headers, body })
  const code = response.status === 204 ? null : ((await response.json()) as ErrorBody).error.code
  return { status: response.status, code }
}

const bytesAt = async ({ browser }: Owner, path: string) => new Uint8Array(await (await browser.call(path)).arrayBuffer())
const objectsOf = async (id: string) => (await env.FILES?.list({ prefix: `files/${id}` }))?.objects.map(({ key }) => key) ?? []
const originalBytesOf = async ({ userId }: Owner, id: string) => (await readFile(content, userId, id))?.originalBytes

test('serves the original at its address and the copy at the address of the file', async () => {
  const file = await stored(ada)
  expect(await bytesAt(ada, originalAddress(file))).toEqual(copy)
  expect(await sendOriginal(ada, file, Uint8Array.from(original))).toEqual({ status: 204, code: null })
  const response = await ada.browser.call(originalAddress(file))
  expect(response.headers.get('content-type')).toBe('image/png')
  expect(response.headers.get('content-security-policy')).toContain('sandbox')
  expect(response.headers.get('content-length')).toBe(String(original.length))
  expect(new Uint8Array(await response.arrayBuffer())).toEqual(original)
  const etag = response.headers.get('etag') ?? ''
  expect((await ada.browser.call(originalAddress(file), { headers: { 'if-none-match': etag } })).status).toBe(304)
  expect(await bytesAt(ada, `/api/files/${file.id}`)).toEqual(copy)
})

test('keeps the type of the original, which can differ from the type of the copy', async () => {
  const file = await stored(ada, jpeg)
  await sendOriginal(ada, file, Uint8Array.from(original))
  expect((await ada.browser.call(originalAddress(file))).headers.get('content-type')).toBe('image/png')
  expect((await ada.browser.call(`/api/files/${file.id}`)).headers.get('content-type')).toBe('image/jpeg')
})

test('stores the first original only, and counts its bytes', async () => {
  const file = await stored(ada)
  expect(await originalBytesOf(ada, file.id)).toBe(0)
  await sendOriginal(ada, file, Uint8Array.from(original))
  expect(await sendOriginal(ada, file, Uint8Array.from(jpeg))).toEqual({ status: 204, code: null })
  expect(await bytesAt(ada, originalAddress(file))).toEqual(original)
  expect(await originalBytesOf(ada, file.id)).toBe(original.length)
})

test('of two concurrent requests one original is stored, and it stays counted', async () => {
  const file = await stored(ada)
  await Promise.all([1, 2].map(() => sendOriginal(ada, file, Uint8Array.from(original))))
  expect(await bytesAt(ada, originalAddress(file))).toEqual(original)
  expect(await originalBytesOf(ada, file.id)).toBe(original.length)
})

test('refuses another user as if the file did not exist', async () => {
  const ben = await guest()
  const file = await stored(ada)
  expect(await sendOriginal(ben, file, Uint8Array.from(original))).toEqual({ status: 404, code: 'not_found' })
  await sendOriginal(ada, file, Uint8Array.from(original))
  expect((await ben.browser.call(originalAddress(file))).status).toBe(404)
  expect((await worker.fetch(origin + originalAddress(file))).status).toBe(401)
})

describe('refuses, without storing or counting', () => {
  test.each<[what: string, bytes: Uint8Array, status: number, code: string]>([
    ['a text', new TextEncoder().encode('<svg/>'), 415, 'file_type'],
    ['a PDF', new TextEncoder().encode('%PDF-1.7 and more'), 415, 'file_type'],
    ['nothing', new Uint8Array(), 400, 'file_empty'],
    ['an image above the limit', concat([copy, new Uint8Array(maxImageBytes)]), 413, 'file_too_large'],
  ])('%s', async (_what, bytes, status, code) => {
    const file = await stored(ada)
    expect(await sendOriginal(ada, file, Uint8Array.from(bytes))).toEqual({ status, code })
    expect(await objectsOf(file.id)).toEqual([`files/${file.id}`])
    expect(await originalBytesOf(ada, file.id)).toBe(0)
  })

  test('a body without a length', async () => {
    const file = await stored(ada)
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(original)
        controller.close()
      },
    })
    expect(await sendOriginal(ada, file, body)).toEqual({ status: 400, code: 'invalid_request' })
  })

  test('the original of a text', async () => {
    const file = await stored(ada, new TextEncoder().encode('a note'))
    expect(await sendOriginal(ada, file, Uint8Array.from(original))).toEqual({ status: 404, code: 'not_found' })
  })

  test('an original that exceeds the storage', async () => {
    const ben = await guest()
    const file = await stored(ben)
    await content
      .prepare(
        `insert into attachment (id, userId, uploadId, name, mediaType, sizeBytes, createdAt, storedAt, etag) values (?1, ?2, ?1, 'x', 'text/plain', ?3, 1, 1, '""')`,
      )
      .bind(newId(), ben.userId, storedFileBytes.guest - copy.length - original.length + 1)
      .run()
    expect(await sendOriginal(ben, file, Uint8Array.from(original))).toEqual({ status: 403, code: 'storage_full' })
    expect(await originalBytesOf(ben, file.id)).toBe(0)
    expect(await sendOriginal(ben, file, Uint8Array.from(original.subarray(1)))).toMatchObject({ code: 'file_type' })
    expect(await sendOriginal(ben, file, Uint8Array.from(original.subarray(0, -1)))).toEqual({ status: 204, code: null })
  })
})

test('counts an original towards the storage of later uploads', async () => {
  const ben = await guest()
  const file = await stored(ben)
  const freeBytes = copy.length + 500
  const reserve = (sizeBytes: number) => reserveOriginal(content, ben.userId, { id: file.id, sizeBytes }, freeBytes)
  expect(await reserve(501)).toEqual({ type: 'storage_full' })
  expect(await reserve(500)).toBeNull()
  expect(await reserve(1)).toEqual({ type: 'storage_full' })
  expect(await reserveOriginal(content, ben.userId, { id: newId(), sizeBytes: 0 }, 2 * freeBytes)).toEqual({ type: 'file_missing' })
})

describe('the original goes with its file', () => {
  test.each<[how: string, remove: (owner: Owner, id: string) => Promise<unknown>]>([
    ['when the file is discarded', ({ browser }, id) => browser.call(`/api/files/${id}`, { method: 'DELETE' })],
    ['when the account is deleted', ({ userId }) => deleteFilesOf(env, userId)],
    ['when no message used it for a day', () => runScheduledWork(env, () => Date.now() + unusedFileTtlMs + 60_000)],
  ])('%s', async (_how, remove) => {
    const ben = await guest()
    const file = await stored(ben)
    await sendOriginal(ben, file, Uint8Array.from(original))
    expect(await objectsOf(file.id)).toEqual([`files/${file.id}`, `files/${file.id}/original`])
    await remove(ben, file.id)
    expect(await objectsOf(file.id)).toEqual([])
    const counted = content.prepare('select coalesce(sum(sizeBytes + originalBytes), 0) bytes from attachment where userId = ?')
    expect(await counted.bind(ben.userId).first('bytes')).toBe(0)
  })

  test('when it arrives after the file was removed', async () => {
    const ben = await guest()
    const { id } = await stored(ben)
    await ben.browser.call(`/api/files/${id}`, { method: 'DELETE' })
    expect(await storeVariant(env, ben.userId, id, 'original', Uint8Array.from(original).buffer, 'image/png')).toBe(false)
    expect(await objectsOf(id)).toEqual([])
  })
})

// Thumbnails on the real R2: access, validation, and deletion with the file.
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { type AttachedFile, hasThumbnail } from '../../../worker/contract/files/files.ts'
import { thumbnailAddress } from '../../../worker/contract/files/image-addresses.ts'
import type { ErrorBody, FileBody } from '../../../worker/contract/http.ts'
import { maxThumbnailBytes, unusedFileTtlMs } from '../../../worker/contract/limits.ts'
import { deleteFilesOf, storeVariant } from '../../../worker/db/file-store.ts'
import { newId } from '../../../worker/db/new-id.ts'
import { runScheduledWork } from '../../../worker/scheduled.ts'
import { concat, pngOf } from '../../support/sample-files.ts'
import { type Browser, guest, origin } from '../auth/browser.ts'
import { env, worker } from '../bindings.ts'

type Owner = { readonly browser: Browser; readonly userId: string }

const small = pngOf(8, 6)
/** A picture followed by padding. */
const large = concat([pngOf(8, 6), new Uint8Array(maxThumbnailBytes)])
const webp = new TextEncoder().encode('RIFF\x04\x00\x00\x00WEBPVP8 ')

let ada: Owner
beforeAll(async () => {
  ada = await guest()
})

async function stored({ browser }: Owner, bytes: Uint8Array): Promise<AttachedFile> {
  const headers = { origin, cookie: browser.cookie, 'x-upload-id': newId(), 'x-file-name': 'tides.png' }
  const response = await worker.fetch(`${origin}/api/files`, { method: 'POST', headers, body: Uint8Array.from(bytes) })
  return ((await response.json()) as FileBody).file
}

async function bring({ browser }: Owner, id: string, bytes: Uint8Array) {
  const headers = { origin, cookie: browser.cookie }
  const response = await worker.fetch(`${origin}/api/files/${id}/thumbnail`, { method: 'POST', headers, body: Uint8Array.from(bytes) })
  const code = response.status === 204 ? null : ((await response.json()) as ErrorBody).error.code
  return { status: response.status, code }
}

const look = ({ browser }: Owner, id: string, headers: Record<string, string> = {}) =>
  browser.call(`/api/files/${id}/thumbnail`, { headers })
const bytesOf = async (response: Response) => new Uint8Array(await response.arrayBuffer())
const objectsOf = async (id: string) => (await env.FILES?.list({ prefix: `files/${id}` }))?.objects.map(({ key }) => key) ?? []

test('is served at the address of the picture, typed by its content, and the picture is unchanged', async () => {
  const { id } = await stored(ada, large)
  expect(await bytesOf(await look(ada, id))).toEqual(large)
  expect(await bring(ada, id, webp)).toEqual({ status: 204, code: null })
  const response = await look(ada, id)
  expect(response.headers.get('content-type')).toBe('image/webp')
  expect(response.headers.get('content-security-policy')).toContain('sandbox')
  expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  expect(response.headers.get('cache-control')).toBe('private, no-cache')
  expect(await bytesOf(response)).toEqual(webp)
  const etag = response.headers.get('etag') ?? ''
  expect((await look(ada, id, { 'if-none-match': etag })).status).toBe(304)
  const whole = await ada.browser.call(`/api/files/${id}`)
  expect(whole.headers.get('etag')).not.toBe(etag)
  expect(await bytesOf(whole)).toEqual(large)
})

test('the first one is kept', async () => {
  const { id } = await stored(ada, large)
  await bring(ada, id, webp)
  expect(await bring(ada, id, small)).toEqual({ status: 204, code: null })
  expect(await bytesOf(await look(ada, id))).toEqual(webp)
})

test('other users can neither upload nor read a thumbnail', async () => {
  const ben = await guest()
  const { id } = await stored(ada, large)
  expect(await bring(ben, id, webp)).toEqual({ status: 404, code: 'not_found' })
  await bring(ada, id, webp)
  expect((await look(ben, id)).status).toBe(404)
  expect((await worker.fetch(`${origin}/api/files/${id}/thumbnail`)).status).toBe(401)
})

describe('refuses', () => {
  test.each<[what: string, bytes: Uint8Array, status: number, code: string]>([
    ['text', new TextEncoder().encode('<svg/>'), 415, 'file_type'],
    ['nothing', new Uint8Array(), 400, 'file_empty'],
    ['one that is not small', concat([small, new Uint8Array(maxThumbnailBytes)]), 413, 'file_too_large'],
  ])('%s', async (_what, bytes, status, code) => {
    const { id } = await stored(ada, large)
    expect(await bring(ada, id, bytes)).toEqual({ status, code })
    expect(await objectsOf(id)).toEqual([`files/${id}`])
  })

  test('one that breaks off', async () => {
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    const { id } = await stored(ada, large)
    const { readable, writable } = new FixedLengthStream(webp.length)
    const writer = writable.getWriter()
    void writer.write(webp.slice(0, 4)).then(() => writer.abort(new Error('the client has disconnected')))
    const headers = { origin, cookie: ada.browser.cookie }
    const response = await worker.fetch(`${origin}/api/files/${id}/thumbnail`, { method: 'POST', headers, body: readable })
    expect([response.status, ((await response.json()) as ErrorBody).error.code]).toEqual([400, 'invalid_request'])
    expect(warned.mock.calls.join()).toContain('body_broke_off')
    warned.mockRestore()
    expect(await objectsOf(id)).toEqual([`files/${id}`])
  })

  test('a thumbnail of a small file', async () => {
    const file = await stored(ada, small)
    expect(hasThumbnail(file)).toBe(false)
    expect(thumbnailAddress(file)).toBe(`/api/files/${file.id}`)
    expect(await bring(ada, file.id, webp)).toEqual({ status: 404, code: 'not_found' })
  })
})

describe('is deleted with its file', () => {
  test.each<[how: string, remove: (owner: Owner, id: string) => Promise<unknown>]>([
    ['taken back before it was sent', ({ browser }, id) => browser.call(`/api/files/${id}`, { method: 'DELETE' })],
    ['an account that is deleted', ({ userId }) => deleteFilesOf(env, userId)],
    ['shown by no message for a day', () => runScheduledWork(env, () => Date.now() + unusedFileTtlMs + 60_000)],
  ])('%s', async (_how, remove) => {
    const ben = await guest()
    const { id } = await stored(ben, large)
    await bring(ben, id, webp)
    expect(await objectsOf(id)).toEqual([`files/${id}`, `files/${id}/thumbnail`])
    await remove(ben, id)
    expect(await objectsOf(id)).toEqual([])
  })

  test('one that arrives after its file was removed is not stored', async () => {
    const ben = await guest()
    const { id } = await stored(ben, large)
    await ben.browser.call(`/api/files/${id}`, { method: 'DELETE' })
    expect(await storeVariant(env, ben.userId, id, 'thumbnail', Uint8Array.from(webp).buffer, 'image/webp')).toBe(false)
    expect(await objectsOf(id)).toEqual([])
  })
})

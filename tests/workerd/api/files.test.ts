// Files over HTTP, on the real D1 and R2: accepted and refused uploads, access, response headers, and deletion.
import { beforeAll, describe, expect, test } from 'vitest'
import { refusal } from '../../../worker/contract/errors.ts'
import { type AttachedFile, filePart } from '../../../worker/contract/files/files.ts'
import type { ErrorBody, FileBody } from '../../../worker/contract/http.ts'
import { maxImageBytes, maxModelImageBytes, storedFileBytes, unusedFileTtlMs, uploadsPerHour } from '../../../worker/contract/limits.ts'
import { deleteFilesOf } from '../../../worker/db/file-store.ts'
import { newId } from '../../../worker/db/new-id.ts'
import { runScheduledWork } from '../../../worker/scheduled.ts'
import { insert, messageRow, threadRow } from '../../support/rows.ts'
import { pdf, pngOf } from '../../support/sample-files.ts'
import { type Browser, guest, origin } from '../auth/browser.ts'
import { content, env, worker } from '../bindings.ts'

const png = pngOf(8, 6)
const utf8 = (text: string) => new TextEncoder().encode(text)
let ada: { browser: Browser; userId: string }
beforeAll(async () => {
  ada = await guest()
})

type Upload = { readonly name?: string; readonly uploadId?: string; readonly headers?: Record<string, string> }

async function upload(
  { browser }: { browser: Browser },
  body: BodyInit | null,
  { name = 'file', uploadId = newId(), headers = {} }: Upload = {},
) {
  const response = await worker.fetch(`${origin}/api/files`, {
    method: 'POST',
    headers: { origin, cookie: browser.cookie, 'x-upload-id': uploadId, 'x-file-name': encodeURIComponent(name), ...headers },
    body,
  })
  const answer = (await response.json()) as Partial<FileBody & ErrorBody>
  return { status: response.status, file: answer.file, code: answer.error?.code }
}

async function stored(owner: { browser: Browser }, bytes: Uint8Array, name = 'file'): Promise<AttachedFile> {
  const { file, code } = await upload(owner, bytes, { name })
  if (!file) throw new Error(`refused: ${code}`)
  return file
}

const objects = async () => (await env.FILES?.list())?.objects.map(({ key }) => key) ?? []
const get = ({ browser }: { browser: Browser }, id: string, headers: Record<string, string> = {}) =>
  browser.call(`/api/files/${id}`, { headers })
const bytesOf = async (response: Response) => new Uint8Array(await response.arrayBuffer())

describe('uploads', () => {
  test.each<[what: string, bytes: Uint8Array, mediaType: string, pages?: number | null]>([
    ['PNG', png, 'image/png'],
    ['JPEG', Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 0, 16, 74, 70), 'image/jpeg'],
    ['GIF', utf8('GIF89a\x01\x00\x01'), 'image/gif'],
    ['WebP', utf8('RIFF\x04\x00\x00\x00WEBPVP8 '), 'image/webp'],
    ['PDF, with its number of pages', pdf, 'application/pdf', 1],
    ['text', utf8('Grüße, 世界'), 'text/plain'],
    ['HTML, as text', utf8('<!doctype html><script>alert(1)</script>'), 'text/plain'],
    ['SVG, as text', utf8('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'text/plain'],
  ])('accept %s, regardless of name and header', async (_what, bytes, mediaType, pages = null) => {
    const { status, file } = await upload(ada, bytes, { name: 'x.svg', headers: { 'content-type': 'image/svg+xml' } })
    expect({ status, file }).toEqual({
      status: 201,
      file: { id: expect.any(String), name: 'x.svg', mediaType, sizeBytes: bytes.length, pages },
    })
    const response = await get(ada, file?.id ?? '')
    expect(response.headers.get('content-type')).toContain(mediaType)
    expect(await bytesOf(response)).toEqual(bytes)
  })

  test.each<[what: string, bytes: Uint8Array, code: string, status: number]>([
    ['nothing', new Uint8Array(), 'file_empty', 400],
    ['an archive', Uint8Array.of(80, 75, 3, 4, 20, 0, 0, 0), 'file_type', 415],
    ['text with a NUL far behind', utf8(`${'a'.repeat(3000)}\0`), 'file_type', 415],
    ['text that stops being UTF-8', Uint8Array.of(...utf8('a'.repeat(2000)), 0xff, 0xfe), 'file_type', 415],
    ['text cut in a character', utf8('世').subarray(0, 2), 'file_type', 415],
    ['a picture above its limit', new Uint8Array(maxImageBytes + 1).fill(1).map((_, i) => png[i] ?? 1), 'file_too_large', 413],
    ['an image that was not scaled for models', new Uint8Array(maxModelImageBytes + 1).map((_, i) => png[i] ?? 1), 'image_too_large', 413],
    ['anything above every limit', new Uint8Array(32 * 1024 * 1024 + 1), 'file_too_large', 413],
  ])('refuse %s, without storing or counting it', async (_what, bytes, code, status) => {
    const ben = await guest()
    const before = await objects()
    expect(await upload(ben, bytes)).toMatchObject({ status, code })
    expect(await objects()).toEqual(before)
    const row = await content.prepare('select coalesce(sum(sizeBytes), 0) bytes from attachment where userId = ?').bind(ben.userId).first()
    expect(row).toEqual({ bytes: 0 })
  })

  test('require a session, a name and an id', async () => {
    expect(await upload({ browser: { cookie: '' } as Browser }, png)).toMatchObject({ status: 401, code: 'session_required' })
    expect(await upload(ada, png, { uploadId: '../x' })).toMatchObject({ status: 400, code: 'invalid_request' })
    expect(await upload(ada, png, { headers: { 'x-file-name': '%' } })).toMatchObject({ status: 400, code: 'invalid_request' })
  })

  test('require a length, which R2 needs', async () => {
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(png)
        controller.close()
      },
    })
    expect(await upload(ada, body)).toMatchObject({ status: 400, code: 'invalid_request' })
  })

  test('that are repeated or concurrent are one file', async () => {
    const ben = await guest()
    const uploadId = newId()
    const answers = await Promise.all([upload(ben, png, { uploadId }), upload(ben, png, { uploadId })])
    answers.push(await upload(ben, png, { uploadId }))
    // An attempt overtaken by another one gets a refusal or the result; there is one file with one object.
    const ids = new Set(answers.flatMap(({ file }) => file?.id ?? []))
    expect(ids.size).toBe(1)
    for (const { file, code } of answers) if (!file) expect(code).toBe('file_incomplete')
    expect(answers.at(-1)?.status).toBe(200)
    const kept = content.prepare('select count(*) n from attachment where userId = ? and removedAt is null')
    expect(await kept.bind(ben.userId).first('n')).toBe(1)
  })

  test('that were interrupted continue under their id', async () => {
    const ben = await guest()
    const uploadId = newId()
    expect(await upload(ben, utf8(`${'a'.repeat(2000)}\0`), { uploadId })).toMatchObject({ code: 'file_type' })
    expect(await upload(ben, utf8('mended'), { uploadId })).toMatchObject({ status: 201, file: { sizeBytes: 6 } })
  })

  test('end at the storage limit and the hourly limit of the user', async () => {
    const ben = await guest()
    const insertFile = content.prepare(
      `insert into attachment (id, userId, uploadId, name, mediaType, sizeBytes, createdAt, storedAt, etag) values (?1, ?2, ?1, 'x', 'text/plain', ?3, ?4, 1, '""')`,
    )
    const fill = (uploadId: string, sizeBytes: number, createdAt = 1) => insertFile.bind(uploadId, ben.userId, sizeBytes, createdAt)
    await fill(newId(), storedFileBytes.guest - 10).run()
    expect(await upload(ben, utf8('eleven chars'))).toMatchObject({ status: 403, code: 'storage_full' })
    expect(await upload(ben, utf8('ten chars!'))).toMatchObject({ status: 201 })
    await content.prepare('update attachment set sizeBytes = 1 where userId = ?').bind(ben.userId).run()
    await content.batch(Array.from({ length: uploadsPerHour.guest - 1 }, () => fill(newId(), 1, Date.now())))
    expect(await upload(ben, png)).toMatchObject({ status: 429, code: 'uploads_too_often' })
  })
})

describe('responses', () => {
  test('are never a page: typed, named, sandboxed, and revalidated', async () => {
    const file = await stored(ada, utf8('<script>alert(1)</script>'), '../../etc/\u202egnp.html\r\nset-cookie: a=b "quoted".html')
    expect(file.name).toBe('gnp.htmlset-cookie: a=b "quoted".html')
    const { headers } = await get(ada, file.id)
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-disposition':
        'inline; filename="gnp.htmlset-cookie: a=b _quoted_.html"; filename*=UTF-8\'\'gnp.htmlset-cookie%3A%20a%3Db%20%22quoted%22.html',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'private, no-cache',
    })
    expect((await get(ada, (await stored(ada, pdf, 'a.pdf')).id)).headers.get('content-disposition')).toMatch(
      /^attachment; filename="a.pdf"/,
    )
  })

  test('support full, range, HEAD and If-None-Match requests', async () => {
    const { id } = await stored(ada, utf8('0123456789'))
    const whole = await get(ada, id)
    expect([whole.status, whole.headers.get('content-length'), whole.headers.get('accept-ranges')]).toEqual([200, '10', 'bytes'])
    const etag = whole.headers.get('etag') ?? ''
    const parts = [
      ['bytes=2-4', 206, 'bytes 2-4/10', '234'],
      ['bytes=7-', 206, 'bytes 7-9/10', '789'],
      ['bytes=-2', 206, 'bytes 8-9/10', '89'],
      ['bytes=5-500', 206, 'bytes 5-9/10', '56789'],
      ['bytes=10-', 416, 'bytes */10', JSON.stringify({ error: refusal('range_unsatisfiable') })],
      ['bytes=4-2', 200, null, '0123456789'],
      ['bytes=0-1,3-4', 200, null, '0123456789'],
      ['lines=1-2', 200, null, '0123456789'],
    ] as const
    for (const [range, status, contentRange, text] of parts) {
      const response = await get(ada, id, { range })
      expect([range, response.status, response.headers.get('content-range'), await response.text()]).toEqual([
        range,
        status,
        contentRange,
        text,
      ])
    }
    expect((await get(ada, id, { range: 'bytes=2-4', 'if-range': etag })).status).toBe(206)
    expect((await get(ada, id, { range: 'bytes=2-4', 'if-range': '"other"' })).status).toBe(200)
    const known = await get(ada, id, { 'if-none-match': `"other", ${etag}` })
    expect([known.status, await known.text()]).toEqual([304, ''])
    expect((await get(ada, id, { 'if-none-match': `"other",W/${etag}` })).status).toBe(304)
    expect((await get(ada, id, { 'if-none-match': '*' })).status).toBe(304)
    const head = await ada.browser.call(`/api/files/${id}`, { method: 'HEAD', headers: { range: 'bytes=0-1' } })
    expect(head.status).toBe(200)
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '10', ''])
  })

  test('are for the owner only: another user’s file looks missing', async () => {
    const ben = await guest()
    const { id } = await stored(ada, png)
    const [foreign, absent] = [await get(ben, id), await get(ben, newId())]
    const contentsOf = async (response: Response) => [response.status, await response.text(), [...response.headers.keys()].sort()]
    expect(await contentsOf(foreign)).toEqual(await contentsOf(absent))
    expect(foreign.status).toBe(404)
    expect((await worker.fetch(`${origin}/api/files/${id}`)).status).toBe(401)
    expect((await ben.browser.call(`/api/files/${id}`, { method: 'DELETE' })).status).toBe(204)
    expect((await get(ada, id)).status).toBe(200)
  })
})

describe('deletion', () => {
  const shown = async (userId: string, files: readonly AttachedFile[], fields = {}) => {
    const thread = threadRow(userId, fields)
    await insert(content, 'thread', thread)
    const message = messageRow(userId, String(thread.id))
    await insert(content, 'message', { ...message, message: JSON.stringify({ id: message.id, role: 'user', parts: files.map(filePart) }) })
    return thread
  }
  const isThere = async (owner: { browser: Browser }, { id }: AttachedFile) =>
    [(await get(owner, id)).status === 200, (await objects()).includes(`files/${id}`)] as const
  const later = (ms: number) => () => Date.now() + ms

  test('is immediate before sending, and not possible while a message shows the file', async () => {
    const ben = await guest()
    const [sent, unsent] = [await stored(ben, png), await stored(ben, png)]
    await shown(ben.userId, [sent])
    for (const { id } of [sent, unsent]) await ben.browser.call(`/api/files/${id}`, { method: 'DELETE' })
    expect(await isThere(ben, sent)).toEqual([true, true])
    expect(await isThere(ben, unsent)).toEqual([false, false])
  })

  test('follows after a day without sending, or with the last message that shows the file', async () => {
    const ben = await guest()
    const [sent, unsent] = [await stored(ben, png), await stored(ben, pdf)]
    const thread = await shown(ben.userId, [sent])
    const fork = await shown(ben.userId, [sent])
    await runScheduledWork(env, later(unusedFileTtlMs - 60_000))
    expect(await isThere(ben, unsent)).toEqual([true, true])
    await runScheduledWork(env, later(unusedFileTtlMs + 60_000))
    expect(await isThere(ben, unsent)).toEqual([false, false])
    // Set directly: at a date on which this is due, guests and sessions would have expired as well.
    const deleteThread = (id: unknown) => content.prepare('update thread set deletedAt = 1 where id = ?').bind(id).run()
    await deleteThread(thread.id)
    await runScheduledWork(env, later(unusedFileTtlMs + 60_000))
    expect(await isThere(ben, sent)).toEqual([true, true])
    await deleteThread(fork.id)
    await runScheduledWork(env, later(unusedFileTtlMs + 60_000))
    expect(await isThere(ben, sent)).toEqual([false, false])
    expect(await content.prepare('select count(*) n from attachmentUse where attachmentId = ?').bind(sent.id).first('n')).toBe(0)
  })

  test('includes all files of a deleted user; an account keeps the files of its guest', async () => {
    const [ben, cy] = [await guest(), await guest()]
    const [kept, handed] = [await stored(ada, png), await stored(ben, png)]
    await content.prepare('update attachment set userId = ? where userId = ?').bind(cy.userId, ben.userId).run()
    expect(await isThere(cy, handed)).toEqual([true, true])
    expect((await get(ben, handed.id)).status).toBe(404)
    await deleteFilesOf(env, cy.userId)
    expect(await isThere(cy, handed)).toEqual([false, false])
    expect(await isThere(ada, kept)).toEqual([true, true])
  })
})

describe('messages with files', () => {
  test('an answer may contain any address, and a message need not be JSON: neither is checked', async () => {
    const thread = threadRow(ada.userId)
    await insert(content, 'thread', thread)
    for (const text of [
      JSON.stringify({ role: 'assistant', parts: [{ type: 'file', url: '/api/files/nobodys' }, 7, 'x'] }),
      'no JSON',
      '[]',
    ]) {
      const message = messageRow(ada.userId, String(thread.id))
      await insert(content, 'message', { ...message, message: text })
    }
    expect(await content.prepare("select count(*) n from attachmentUse where attachmentId = 'nobodys'").first('n')).toBe(0)
  })

  test.each<[what: string, change: (file: AttachedFile) => Partial<AttachedFile>, owner: 'ada' | 'ben']>([
    ['another user’s', () => ({}), 'ben'],
    ['none', () => ({ id: newId() }), 'ada'],
    ['another kind', () => ({ mediaType: 'text/plain' }), 'ada'],
    ['another size', ({ sizeBytes }) => ({ sizeBytes: sizeBytes + 1 }), 'ada'],
  ])('a file that is %s is refused with its message, queued or sent', async (_what, change, owner) => {
    const ben = await guest()
    const file = await stored(ada, png)
    const userId = owner === 'ada' ? ada.userId : ben.userId
    const claimed = { ...file, ...change(file) }
    const thread = threadRow(userId)
    await insert(content, 'thread', thread)
    const message = messageRow(userId, String(thread.id))
    const insertion = insert(content, 'message', {
      ...message,
      message: JSON.stringify({ id: message.id, role: 'user', parts: [filePart(claimed)] }),
    })
    await expect(insertion).rejects.toThrow('file_missing')
    const queued = content
      .prepare(
        `insert into queuedMessage (id, threadId, userId, answerId, text, modelId, createdAt, files) values (?, ?, ?, ?, '', 'kimi-k2', 1, ?)`,
      )
      .bind(newId(), thread.id, userId, newId(), JSON.stringify([claimed]))
    await expect(queued.run()).rejects.toThrow('file_missing')
  })
})

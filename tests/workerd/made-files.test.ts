// Generated files on the real D1 and R2: stored like attachments, never lost or duplicated, and deleted when no message shows them.

import { describe, expect, test } from 'vitest'
import { madeFileOf, madeFileStore } from '../../worker/chat/model/made-files.ts'
import { fileAddress } from '../../worker/contract/files/files.ts'
import { maxModelImageBytes, storedFileBytes, unusedFileTtlMs } from '../../worker/contract/limits.ts'
import type { FilePart } from '../../worker/contract/threads/messages.ts'
import type { StartTurn } from '../../worker/contract/threads/turn.ts'
import { readFile } from '../../worker/db/attachments.ts'
import { deleteFilesOf, purgeFiles } from '../../worker/db/file-store.ts'
import { newId } from '../../worker/db/new-id.ts'
import { newUserId } from '../../worker/db/shards.ts'
import { insert, messageRow, threadRow } from '../support/rows.ts'
import { concat, pngOf } from '../support/sample-files.ts'
import { type Browser, guest } from './auth/browser.ts'
import { content, env } from './bindings.ts'
import {
  fireAlarm,
  generationOf,
  givenTurn,
  inside,
  kill,
  openStream,
  partsOf,
  readEvents,
  recordOf,
  untilEnded,
  untilWatched,
} from './turns.ts'
import { until } from './until.ts'

const { FILES } = env
if (!FILES) throw new Error('a bucket is bound here')
const bytes = 3_000_000
const drawing = `/demo chunks=3 draw=${bytes} delay=0`

const filesIn = (parts: readonly object[] = []) => parts.filter((part): part is FilePart => 'type' in part && part.type === 'file')
const keys = async () => (await FILES.list()).objects.map(({ key }) => key)
const rowsOf = async ({ userId }: Pick<StartTurn, 'userId'>) =>
  (
    await content.prepare('select id, sizeBytes, storedAt, unusedSince, removedAt from attachment where userId = ?').bind(userId).all<{
      id: string
      sizeBytes: number
      storedAt: number | null
      unusedSince: number | null
    }>()
  ).results
async function answered(turn: StartTurn) {
  await generationOf(turn).start(turn)
  await untilEnded(turn)
  return recordOf(turn)
}

/** The bucket, with a hook at each put. */
async function withPut(turn: StartTurn, put: (store: () => Promise<R2Object>, times: number) => Promise<R2Object>): Promise<void> {
  let times = 0
  const faulty = new Proxy(FILES as R2Bucket, {
    get(target, name) {
      if (name === 'put') return (...args: Parameters<R2Bucket['put']>) => put(() => target.put(...args) as Promise<R2Object>, ++times)
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  await inside(turn, (generation) => generation.storeIn(faulty))
}

const aDayLater = () => purgeFiles(env, content, Date.now() + unusedFileTtlMs + 60_000)
const get = (browser: Browser, { url }: FilePart, headers: Record<string, string> = {}) => browser.call(url, { headers })

describe('a generated picture', () => {
  test('is stored for its user, and the answer contains its address', async () => {
    const [ada, ben] = [await guest(), await guest()]
    const turn = await givenTurn(drawing, { by: { userId: ada.userId } as StartTurn })
    await generationOf(turn).start(turn)
    const live = filesIn(partsOf(await readEvents(await openStream(turn))))
    await untilEnded(turn)
    const { answer, generation } = await recordOf(turn)
    const [part, ...others] = filesIn(answer?.parts)
    if (!part) throw new Error('no file')
    expect([generation, others, live]).toEqual([{ status: 'completed', error: null }, [], [part]])
    expect(part).toEqual({
      type: 'file',
      mediaType: 'image/png',
      url: expect.stringMatching(/^\/api\/files\//),
      filename: 'Picture 1.png',
      sizeBytes: expect.any(Number),
    })
    expect(JSON.stringify(answer).length).toBeLessThan(2000)

    const whole = await get(ada.browser, part)
    expect(whole.status).toBe(200)
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-security-policy': expect.stringContaining('sandbox'),
      'x-content-type-options': 'nosniff',
      'content-disposition': expect.stringContaining('Picture%201.png'),
    })
    const stored = new Uint8Array(await whole.arrayBuffer())
    expect([stored.length, stored[1]]).toEqual([part.sizeBytes, 'P'.charCodeAt(0)])
    expect(stored.length).toBeGreaterThanOrEqual(bytes)
    expect((await get(ada.browser, part, { range: 'bytes=0-3' })).status).toBe(206)
    expect((await get(ben.browser, part)).status).toBe(404)
  })

  test('that is too large for models is the original of a scaled copy, and counts with it', async () => {
    const ada = await guest()
    const turn = await givenTurn(`/demo chunks=3 draw=${maxModelImageBytes + 1} delay=0`, { by: { userId: ada.userId } as StartTurn })
    const [part] = filesIn((await answered(turn)).answer?.parts)
    if (!part) throw new Error('no file')
    expect(part.sizeBytes).toBeLessThan(maxModelImageBytes)
    const sizeAt = async (path: string) => (await (await ada.browser.call(path)).arrayBuffer()).byteLength
    expect(await sizeAt(part.url)).toBe(part.sizeBytes)
    expect(await sizeAt(`${part.url}/original`)).toBeGreaterThan(maxModelImageBytes)
    const row = await readFile(content, ada.userId, part.url.split('/').at(-1) ?? '')
    expect([row?.sizeBytes, row?.originalBytes]).toEqual([part.sizeBytes, await sizeAt(`${part.url}/original`)])
  })

  test('that is too large for models and cannot be scaled is stored as it is', async () => {
    const { userId } = await guest()
    const IMAGES = { input: () => ({ transform: () => ({ output: () => Promise.reject(new Error('9423')) }) }) } as unknown as ImagesBinding
    const made = madeFileOf({
      mediaType: 'image/png',
      data: { type: 'data', data: concat([pngOf(8, 6), new Uint8Array(maxModelImageBytes)]) },
    })
    if (!made) throw new Error('no file')
    const part = await madeFileStore({ ...env, IMAGES }, { userId, generationId: newId() })(made, 1)
    expect(part).toMatchObject({ mediaType: 'image/png', sizeBytes: pngOf(8, 6).length + maxModelImageBytes })
    expect(await readFile(content, userId, part.url.split('/').at(-1) ?? '')).toMatchObject({ originalBytes: 0 })
  })

  test('is deleted with the last message that shows it, and with its user', async () => {
    const turn = await givenTurn(drawing)
    const [part] = filesIn((await answered(turn)).answer?.parts)
    const [file] = await rowsOf(turn)
    expect(file).toMatchObject({ unusedSince: null, sizeBytes: part?.sizeBytes })
    // As a fork writes it.
    const thread = threadRow(turn.userId)
    await insert(content, 'thread', thread)
    const copy = messageRow(turn.userId, String(thread.id))
    await insert(content, 'message', { ...copy, message: JSON.stringify({ id: copy.id, role: 'assistant', parts: [part] }) })
    const isThere = async () => (await keys()).includes(`files/${file?.id}`)
    const remove = (id: unknown) => content.prepare('delete from thread where id = ?').bind(id).run()
    await remove(turn.threadId)
    await aDayLater()
    expect(await isThere()).toBe(true)
    await remove(thread.id)
    // A row stays for an hour, like that of a removed upload.
    await aDayLater()
    expect([await isThere(), await rowsOf(turn)]).toEqual([false, []])

    const other = await givenTurn(drawing)
    await answered(other)
    await deleteFilesOf(env, other.userId)
    expect(await rowsOf(other)).toEqual([])
  })

  test('of a guest who has become an account belongs to the account', async () => {
    const turn = await givenTurn(drawing)
    const accountId = newUserId(env)
    await content.prepare('insert into linking (guestId, accountId, createdAt) values (?, ?, 1)').bind(turn.userId, accountId).run()
    await generationOf(turn).start(turn)
    await until(
      () => rowsOf({ userId: accountId }),
      (rows) => rows[0]?.storedAt != null,
      'a file of the account',
    )
    expect(await rowsOf(turn)).toEqual([])
  })

  test.each([
    ['above the limit', 'draw=9000000', 'made_file_too_large', {}],
    ['beyond the storage limit of its user', 'draw=100', 'storage_full', { sizeBytes: storedFileBytes.pro }],
  ])('%s is refused with a reason, and the text is stored and charged', async (_what, draw, error, other) => {
    const turn = await givenTurn(`/demo chunks=3 ${draw} delay=0`)
    const before = { id: newId(), uploadId: newId(), name: 'a', mediaType: 'image/png', sizeBytes: 1, createdAt: 1, unusedSince: null }
    await insert(content, 'attachment', { ...before, userId: turn.userId, ...other })
    const { answer, generation } = await answered(turn)
    expect(generation).toEqual({ status: 'failed', error })
    expect(answer?.parts.map(({ type }) => type)).toEqual(['step-start', 'text'])
    expect(answer?.metadata.failure?.code).toBe(error)
    expect(await rowsOf(turn)).toHaveLength(1)
  })

  test('is stored in the answer without a bucket, as far as it fits', async () => {
    for (const [draw, status] of [
      [1000, 'completed'],
      [2_000_000, 'failed'],
    ] as const) {
      const turn = await givenTurn(`/demo chunks=3 draw=${draw} delay=0`)
      await inside(turn, (generation) => generation.storeIn(null))
      const { answer, generation } = await answered(turn)
      expect(generation).toEqual({ status, error: status === 'failed' ? 'made_file_too_large' : null })
      expect(filesIn(answer?.parts).map(({ url }) => url.slice(0, 22))).toEqual(status === 'failed' ? [] : ['data:image/png;base64,'])
    }
  })
})

describe('between its object and its answer', () => {
  test('a failed write is retried once; a second failure loses only the picture', async () => {
    const lucky = await givenTurn(drawing)
    await withPut(lucky, (store, times) => (times === 1 ? Promise.reject(new Error('busy')) : store()))
    expect(filesIn((await answered(lucky)).answer?.parts)).toHaveLength(1)
    expect(await rowsOf(lucky)).toHaveLength(1)

    const turn = await givenTurn(drawing)
    await withPut(turn, () => Promise.reject(new Error('busy')))
    const { answer, generation } = await answered(turn)
    expect(generation).toEqual({ status: 'failed', error: 'made_file_not_kept' })
    expect(answer?.parts.map(({ type }) => type)).toEqual(['step-start', 'text'])
    // It no longer counts, and is deleted automatically.
    expect(await rowsOf(turn)).toMatchObject([{ sizeBytes: 0, storedAt: null }])
    await aDayLater()
    expect(await rowsOf(turn)).toEqual([])
  })

  test.each([
    ['before', false],
    ['after', true],
  ])('a crash %s the object exists leaves no address without a file, and no file permanently', async (_when, isStored) => {
    const turn = await givenTurn(drawing)
    let isDying = false
    await withPut(turn, async (store) => {
      if (isStored) await store()
      isDying = true
      return new Promise(() => undefined)
    })
    await generationOf(turn).start(turn)
    // A promise that the object resolves would continue this test in the object's context, which dies.
    await until(() => isDying, Boolean, 'the upload')
    await untilWatched(turn)
    await kill(turn)
    const [file] = await rowsOf(turn)
    expect(await keys()).toEqual(
      isStored ? expect.arrayContaining([`files/${file?.id}`]) : expect.not.arrayContaining([`files/${file?.id}`]),
    )
    expect(await fireAlarm(turn)).toBe(true)
    const { answer, generation } = await recordOf(turn)
    expect([generation?.status, filesIn(answer?.parts)]).toEqual(['interrupted', []])
    await aDayLater()
    expect([await rowsOf(turn), (await keys()).includes(`files/${file?.id}`)]).toEqual([[], false])
  })

  test('it is kept as long as the answer that will show it is running', async () => {
    const turn = await givenTurn(drawing)
    const id = newId()
    const old = { id, uploadId: `${turn.generationId}:${id}`, name: 'a', mediaType: 'image/png', sizeBytes: 1, etag: 'e', storedAt: 1 }
    await insert(content, 'attachment', { ...old, userId: turn.userId, unusedSince: 1, createdAt: 1 })
    await aDayLater()
    expect(await rowsOf(turn)).toHaveLength(1)
    await generationOf(turn).recover(turn.generationId, turn.userId)
    await untilEnded(turn)
    await aDayLater()
    expect(await rowsOf(turn)).toEqual([])
  })

  test('a stop ends the answer without it, and a picture stored too late is deleted', async () => {
    const turn = await givenTurn(drawing)
    const stopped = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    await withPut(turn, async (store) => {
      asked.resolve()
      await stopped.promise
      return store()
    })
    await generationOf(turn).start(turn)
    await asked.promise
    await generationOf(turn).stop(turn.generationId, turn.userId)
    await untilEnded(turn)
    stopped.resolve()
    await until(
      () => rowsOf(turn),
      ([file]) => file?.storedAt != null,
      'the object',
    )
    const { answer, generation } = await recordOf(turn)
    expect([generation?.status, filesIn(answer?.parts)]).toEqual(['stopped', []])
    await aDayLater()
    expect(await rowsOf(turn)).toEqual([])
  })
})

test('an answer shows files of its user only, whatever its text contains', async () => {
  const [turn, other] = [await givenTurn(drawing), await givenTurn(drawing)]
  const [part] = filesIn((await answered(turn)).answer?.parts)
  const message = messageRow(other.userId, other.threadId)
  const parts = [part, { type: 'file', mediaType: 'image/png', url: fileAddress('nobodys-file') }]
  await insert(content, 'message', { ...message, message: JSON.stringify({ id: message.id, role: 'assistant', parts }) })
  expect(await content.prepare('select count(*) n from attachmentUse where holderId = ?').bind(message.id).first('n')).toBe(0)
})

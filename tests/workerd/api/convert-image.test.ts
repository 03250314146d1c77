// The conversion of an image that the browser cannot decode. Miniflare's Images reads AVIF, but not HEIC.
import { createExecutionContext } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { createApp } from '../../../worker/app.ts'
import type { Env } from '../../../worker/bindings.ts'
import type { ErrorBody } from '../../../worker/contract/http.ts'
import { maxConvertibleBytes, uploadsPerHour } from '../../../worker/contract/limits.ts'
import { countHit } from '../../../worker/db/rate-limit-hits.ts'
import { avif, concat, pngOf } from '../../support/sample-files.ts'
import { Browser, guest, origin } from '../auth/browser.ts'
import { env } from '../bindings.ts'

const heic = concat([Uint8Array.of(0, 0, 0, 24), new TextEncoder().encode('ftypheic'), new Uint8Array(600)])

const app = createApp(async () => ({}))

async function converted(browser: Browser, body: Uint8Array, bindings: Partial<Env> = {}) {
  const length = String(body.byteLength)
  const init = { method: 'POST', headers: { origin, cookie: browser.cookie, 'content-length': length }, body: Uint8Array.from(body) }
  const response: Response = await app.request(`${origin}/api/files/convert`, init, { ...env, ...bindings }, createExecutionContext())
  const isImage = response.headers.get('content-type') === 'image/jpeg'
  if (isImage) return { status: response.status, jpeg: new Uint8Array(await response.arrayBuffer()) }
  return { status: response.status, code: ((await response.json()) as ErrorBody).error.code }
}

test('gives the JPEG of an image, and stores nothing', async () => {
  const { browser } = await guest()
  const { status, jpeg } = await converted(browser, avif)
  expect([status, ...(jpeg?.subarray(0, 3) ?? [])]).toEqual([200, 0xff, 0xd8, 0xff])
  expect((await env.FILES?.list())?.objects).toEqual([])
})

test('refuses an image that cannot be converted, and files of other types', async () => {
  const { browser } = await guest()
  for (const body of [heic, pngOf(4, 4), new TextEncoder().encode('a text'), new Uint8Array()])
    expect(await converted(browser, body)).toEqual({ status: 415, code: 'image_format' })
  expect(await converted(browser, new Uint8Array(maxConvertibleBytes + 1))).toEqual({ status: 413, code: 'file_too_large' })
})

test('refuses without the binding, and without a session', async () => {
  const { browser } = await guest()
  expect(await converted(browser, avif, { IMAGES: undefined as never })).toEqual({ status: 415, code: 'image_format' })
  expect(await converted(new Browser(), avif)).toEqual({ status: 401, code: 'session_required' })
})

test('converts for a user as many images an hour as the user may upload', async () => {
  const { browser, userId } = await guest()
  await countHit(env, `convert:${userId}`, 3600, Date.now(), uploadsPerHour.guest - 1)
  expect(await converted(browser, avif)).toMatchObject({ status: 200 })
  expect(await converted(browser, avif)).toEqual({ status: 429, code: 'uploads_too_often' })
})

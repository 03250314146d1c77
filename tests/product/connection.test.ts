// When the real client connects and disconnects, headers and frames that are too large, and compression. Rules: worker/sync/SPEC.md, C3, X1.
import { defineMutator, defineMutators, defineQueries, defineQuery } from '@rocicorp/zero'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { queryTtlMs } from '../../worker/contract/limits.ts'
import { queries } from '../../worker/contract/queries.ts'
import { zql } from '../../worker/contract/schema.ts'
import { newGuest } from '../support/guest.ts'
import { newBrowser } from '../support/memory-store.ts'
import { type Product, startProduct } from '../support/product.ts'
import { openRecord } from '../support/record-file.ts'
import { metered, startWireMeter } from '../support/wire-meter.ts'
import { closePages, eventually, nickname, pageOf, settledPage } from './observed-page.ts'
import { StubDocument } from './stub-document.ts'
import { TamperedSocket } from './tampered-socket.ts'

let product: Product

beforeAll(async () => {
  TamperedSocket.install()
  product = await startProduct()
})
afterEach(async () => {
  await closePages()
  TamperedSocket.reset()
  Reflect.deleteProperty(globalThis, 'document')
})
afterAll(async () => {
  await product?.stop()
})

function newDocument(): StubDocument {
  const stub = new StubDocument()
  Object.assign(globalThis, { document: stub })
  return stub
}

/** A mutator of another build: the product's would refuse the text before it is sent. */
const careless = defineMutators({ threads: { rename: defineMutator(async () => undefined) } })

test('a hidden page disconnects after a while and delivers its writes when it is visible again', async () => {
  const stub = newDocument()
  const guest = await newGuest(product.url)
  const page = await settledPage(guest, { hiddenTabDisconnectDelay: 50 })
  page.zero.preload(queries.me())
  TamperedSocket.last().dropsFrames = true
  const written = nickname(page.zero, 'Before it went dark')
  expect(await written.client).toMatchObject({ type: 'success' })
  stub.show('hidden')
  await page.until('disconnected')
  expect(page.zero.connection.state.current).toMatchObject({ reason: 'Connection closed because tab was hidden' })
  const connections = TamperedSocket.all.length
  // A hidden page refuses writes with an error instead of losing them.
  expect(await nickname(page.zero, 'In the dark').client).toMatchObject({ type: 'error', error: { type: 'zero' } })
  expect(TamperedSocket.all.length).toBe(connections)
  // The promise is rejected, but the write is not.
  expect(await written.server).toMatchObject({ type: 'error', error: { type: 'zero' } })
  stub.show('visible')
  await page.until('connected')
  expect(await nickname(page.zero, 'In the light').server).toMatchObject({ type: 'success' })
  const { tags } = TamperedSocket.last()
  expect(tags).not.toContain('error')
  expect(page.states).not.toContain('error')
  expect(page.calls).toEqual([])
  await product.kill9()
  const record = openRecord(product.stateDir)
  const clients = record.prepare('select lastMutationID n from clientProgress where userId = ?').all(guest.userId)
  expect(clients.map(({ n }) => n)).toEqual([2])
  record.close()
  await product.restart()
})

test('a page that is opened hidden connects when it becomes visible', async () => {
  const stub = newDocument()
  stub.visibilityState = 'hidden'
  const page = await pageOf(await newGuest(product.url), { hiddenTabDisconnectDelay: 50 })
  // The client opens its local store before it connects. A local query resolves after that.
  await page.zero.run(queries.me())
  expect(TamperedSocket.all).toHaveLength(0)
  stub.show('visible')
  await page.until('connected')
})

test('a query lives for at most 10 minutes, which the page requests, after its last view', async () => {
  const page = await settledPage(await newGuest(product.url))
  page.zero.preload(queries.threads.one({ threadId: 'for-an-hour' }), { ttl: '1h' })
  const ttls = () =>
    TamperedSocket.last()
      .sent.filter(([tag]) => tag === 'changeDesiredQueries')
      .flatMap(([, body]) => (body as { desiredQueriesPatch: { op: string; ttl?: number }[] }).desiredQueriesPatch)
      .flatMap(({ op, ttl }) => (op === 'put' ? [ttl] : []))
  await eventually(() => ttls().length > 0)
  expect(ttls()).toEqual([10 * 60_000])
  expect(queryTtlMs).toBe(10 * 60_000)
})

test('[C3] sends init as a message when the queries exceed the header limit of 8192 characters', async () => {
  const page = await pageOf(await newGuest(product.url))
  const ids = Array.from({ length: 60 }, (_, i) => `thread-number-${i}`)
  for (const threadId of ids) page.zero.preload(queries.threads.one({ threadId }))
  await page.zero.run(queries.me(), { type: 'complete' })
  TamperedSocket.last().close(1000)
  // A new page of the same browser subscribes to everything at once.
  await page.zero.close()
  const next = await pageOf(await newGuest(product.url))
  for (const threadId of ids) next.zero.preload(queries.threads.one({ threadId }))
  await next.zero.run(queries.me(), { type: 'complete' })
  const { protocol } = TamperedSocket.last()
  expect(JSON.parse(atob(decodeURIComponent(protocol)))).toEqual({ authToken: expect.any(String) })
  expect(next.states).toEqual(['connecting', 'connected'])
})

test('[X1] a write above 1 MiB ends the group, and the client does not resend it', async () => {
  const guest = await newGuest(product.url)
  const browser = newBrowser()
  const page = await pageOf(guest, { browser, mutators: careless })
  await page.until('connected')
  const group = await page.zero.clientGroupID
  page.zero.mutate(careless.threads.rename({ title: 'x'.repeat(1024 * 1024) } as never))
  await page.until('error')
  expect(TamperedSocket.last().closes).toEqual([1009])
  await eventually(() => page.calls.length > 0)
  expect(page.calls).toEqual(['onClientStateNotFound'])
  const connections = TamperedSocket.all.length
  await page.zero.close()
  const next = await settledPage(guest, { browser, mutators: careless })
  expect(await next.zero.clientGroupID).not.toBe(group)
  expect(TamperedSocket.all.slice(connections).flatMap(({ closes }) => closes)).not.toContain(1009)
  expect(next.states).toEqual(['connecting', 'connected'])
})

test('[Q1] a failed query is sent again with the next connection and fails alone', async () => {
  const unknown = defineQueries({ nowhere: { all: defineQuery(() => zql.thread) } })
  const page = await settledPage(await newGuest(product.url))
  const view = page.zero.materialize(unknown.nowhere.all())
  await new Promise((resolve) => view.addListener((_rows, type) => type === 'error' && resolve(null)))
  const errors = () => TamperedSocket.last().tags.filter((tag) => tag === 'transformError').length
  expect(errors()).toBe(1)
  TamperedSocket.last().close(1000)
  await eventually(() => TamperedSocket.all.length > 1 && errors() === 1)
  expect(page.states).not.toContain('error')
})

test('[C3] accepts the compression that the client offers', async () => {
  await settledPage(await newGuest(product.url))
  expect(TamperedSocket.last().extensions).toContain('permessage-deflate')
})

test('[C3] sends uncompressed frames to a client that offers no compression', async () => {
  const guest = await newGuest(product.url)
  const meter = await startWireMeter(product.port, { isCompressed: false })
  try {
    await settledPage(metered(guest, meter))
    expect(TamperedSocket.last().extensions).toBe('')
  } finally {
    await closePages()
    await meter.stop()
  }
})

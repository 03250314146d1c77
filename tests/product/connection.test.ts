// When the real client connects and disconnects: each reason of a disconnect, the periods of the
// client, headers that are too long, frames that are too large, and a page of another version. Rules: worker/sync/SPEC.md, C3, X1.
import { createServer, type Socket } from 'node:net'
import { defineMutator, defineMutators, defineQueries, defineQuery } from '@rocicorp/zero'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
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

test('reconnects when a ping gets no answer, and keeps the writes', async () => {
  const page = await settledPage(await newGuest(product.url), { pingTimeoutMs: 2000 })
  page.zero.preload(queries.me())
  TamperedSocket.last().dropsFrames = true
  await page.until('connecting')
  expect(page.zero.connection.state.current).toMatchObject({ reason: 'Server ping request failed' })
  // The client retries every five seconds, which tests/product/errors.test.ts awaits once.
  expect(await nickname(page.zero, 'Kept').client).toMatchObject({ type: 'success' })
})

describe('names the reason of a disconnect: Hidden and PingTimeout above, and', () => {
  test('CleanClose', async () => {
    const page = await settledPage(await newGuest(product.url))
    TamperedSocket.last().close(1000)
    await eventually(() => page.reasons.length > 0)
    expect(page.reasons[0]).toContain('WebSocket connection closed cleanly')
    await page.until('connected')
  })

  test('AbruptClose', async () => {
    const page = await settledPage(await newGuest(product.url))
    await product.kill9()
    await eventually(() => page.reasons.length > 0)
    expect(page.reasons[0]).toContain('WebSocket connection closed abruptly')
    await product.restart()
  })

  test('ConnectTimeout', async () => {
    const silent = createServer()
    const sockets: Socket[] = []
    silent.on('connection', (socket) => sockets.push(socket))
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as { port: number }
    TamperedSocket.tamper = (url) => {
      url.port = `${port}`
    }
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
    try {
      const page = await pageOf(await newGuest(product.url))
      await vi.waitUntil(() => sockets.length > 0)
      await vi.advanceTimersByTimeAsync(10_000)
      expect(page.reasons[0]).toContain('Connection attempt timed out after 10 seconds')
      expect(page.states).toEqual(['connecting'])
      await page.zero.close()
    } finally {
      vi.useRealTimers()
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => silent.close(resolve))
    }
  })

  test('UnexpectedBaseCookie', async () => {
    const page = await settledPage(await newGuest(product.url))
    const socket = TamperedSocket.last()
    socket.receive(['pokeStart', { pokeID: 'of another version', baseCookie: 'zz' }])
    socket.receive(['pokeEnd', { pokeID: 'of another version', cookie: 'zzz' }])
    await eventually(() => page.reasons.length > 0)
    expect(page.reasons[0]).toContain('Server returned unexpected base cookie during sync')
    await page.until('connected')
    expect(await nickname(page.zero, 'After it').server).toMatchObject({ type: 'success' })
  })

  test('ClientClosed', async () => {
    const page = await settledPage(await newGuest(product.url))
    await page.zero.close()
    expect(page.states.at(-1)).toBe('closed')
    expect(page.reasons.at(-1)).toContain('Zero was explicitly closed')
  })
})

test('a token whose header exceeds 8192 characters is sent with a warning', async () => {
  const guest = await newGuest(product.url)
  /** Three characters of a token are four of the header. */
  const openWith = async (tokenLength: number) => {
    const page = await pageOf(guest, { auth: 'x'.repeat(tokenLength) })
    await page.until('needs-auth')
    return { header: TamperedSocket.last().offered.length, warnings: page.logged.filter((line) => line.includes('maxHeaderLength')) }
  }
  expect(await openWith(6128)).toEqual({ header: 8192, warnings: [] })
  expect(await openWith(6131)).toEqual({ header: 8196, warnings: [expect.stringContaining('Encoded auth token length (8196) exceeds')] })
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

test('the client refreshes its clients and recovers mutations every 5 minutes', async () => {
  const timers = [vi.spyOn(globalThis, 'setTimeout'), vi.spyOn(globalThis, 'setInterval')]
  await settledPage(await newGuest(product.url))
  const delays = timers.flatMap(({ mock }) => mock.calls.map(([, delay]) => delay))
  expect(delays).toContain(5 * 60_000)
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

test('a newer page calls onUpdateNeeded in the older one, which continues to work', async () => {
  const guest = await newGuest(product.url)
  const browser = newBrowser()
  const old = await settledPage(guest, { browser })
  const newer = await settledPage(guest, { browser, mutators: careless })
  expect(await newer.zero.clientGroupID).not.toBe(await old.zero.clientGroupID)
  await eventually(() => old.calls.length > 0)
  expect(old.calls).toEqual(['onUpdateNeeded NewClientGroup'])
  expect(await nickname(old.zero, 'Still here').server).toMatchObject({ type: 'success' })
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

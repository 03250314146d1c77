// Every protocol error with the real client: its state, the handlers it calls, the data it deletes, and how it
// continues. Rules: worker/sync/SPEC.md, X3.
import type { Zero, ZeroOptions } from '@rocicorp/zero'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { queries } from '../../worker/contract/queries.ts'
import { schema } from '../../worker/contract/schema.ts'
import { newGuest } from '../support/guest.ts'
import { newBrowser } from '../support/memory-store.ts'
import { type Product, startProduct } from '../support/product.ts'
import { closePages, eventually, nickname, type Page, type PageOptions, pageOf, settledPage } from './observed-page.ts'
import { TamperedSocket } from './tampered-socket.ts'

let product: Product

beforeAll(async () => {
  TamperedSocket.install()
  product = await startProduct()
})
afterEach(async () => {
  await closePages()
  TamperedSocket.reset()
})
afterAll(async () => {
  await product?.stop()
})

const groupOf = async (zero: Zero) => zero.clientGroupID

const otherBuild = {
  ...schema,
  tables: {
    ...schema.tables,
    thread: { ...schema.tables.thread, columns: { ...schema.tables.thread.columns, colour: { type: 'string', optional: true } } },
  },
} as unknown as ZeroOptions['schema']

type Refusal = {
  readonly kind: string
  readonly tamper?: (url: URL) => void
  readonly options?: PageOptions
  readonly calls: readonly string[]
  /** True if this error disables the client group, so that the next page starts with a new one. */
  readonly isGroupOver: boolean
}

const set = (name: string, value: string) => (url: URL) => url.searchParams.set(name, value)

/** The first init of a group with its client schema fits into a header of this length; the default is 8192. */
const wholeInit = { maxHeaderLength: 16_384 }

describe('[X3] an error in place of `connected`', () => {
  const refusals: readonly Refusal[] = [
    {
      kind: 'VersionNotSupported',
      tamper: (url) => {
        url.pathname = url.pathname.replace(/v\d+/, 'v50')
      },
      calls: ['onUpdateNeeded VersionNotSupported'],
      isGroupOver: false,
    },
    {
      kind: 'SchemaVersionNotSupported',
      options: { schema: otherBuild, ...wholeInit },
      calls: ['onUpdateNeeded SchemaVersionNotSupported'],
      isGroupOver: true,
    },
    { kind: 'ClientNotFound', tamper: set('baseCookie', '00'), calls: ['onClientStateNotFound'], isGroupOver: true },
    { kind: 'InvalidConnectionRequest', tamper: set('lmid', 'many'), calls: [], isGroupOver: false },
  ]

  test.each(refusals)('$kind', async ({ kind, tamper, options, calls, isGroupOver }) => {
    const guest = await newGuest(product.url)
    const browser = newBrowser()
    if (tamper) TamperedSocket.tamper = tamper
    const page = await pageOf(guest, { browser, ...options })
    await page.until('error')
    const { tags, errors } = TamperedSocket.last()
    expect(tags).toEqual(['error'])
    expect(errors).toEqual([expect.objectContaining({ kind, origin: 'zeroCache', message: expect.any(String) })])
    await eventually(() => page.calls.length >= calls.length)
    expect(page.calls).toEqual(calls)
    expect(page.states).not.toContain('connected')
    // The client has stopped: a write is refused at once and does not show.
    expect(await nickname(page.zero, 'Refused').client).toMatchObject({ type: 'error', error: { type: 'zero' } })
    expect(browser.dropped).toEqual([])

    const before = await groupOf(page.zero)
    await page.zero.close()
    TamperedSocket.reset()
    const next = await pageOf(guest, { browser, ...(options?.schema ? { schema: options.schema } : {}) })
    expect((await groupOf(next.zero)) !== before).toBe(isGroupOver)
  })

  const reconnects = [
    { kind: 'InvalidConnectionRequestBaseCookie', tamper: set('baseCookie', 'bzzzzzzzzzzz') },
    { kind: 'InvalidConnectionRequestLastMutationID', tamper: set('lmid', '99') },
  ]

  test.each(reconnects)('$kind: the client deletes its database, and the next page starts empty', async ({ kind, tamper }) => {
    const guest = await newGuest(product.url)
    const browser = newBrowser()
    const page = await settledPage(guest, { browser })
    expect(await nickname(page.zero, 'Kept').server).toMatchObject({ type: 'success' })
    TamperedSocket.tamper = tamper
    TamperedSocket.last().close(1000)
    await page.until('error')
    expect(TamperedSocket.last().tags).toEqual(['error'])
    expect(TamperedSocket.last().errors).toEqual([expect.objectContaining({ kind, origin: 'zeroCache' })])
    await eventually(() => page.calls.length > 0)
    // The server reports it, and then the client misses its deleted data.
    expect(new Set(page.calls)).toEqual(new Set(['onClientStateNotFound']))
    expect(browser.dropped).toHaveLength(1)

    const before = await groupOf(page.zero)
    await page.zero.close()
    TamperedSocket.reset()
    const next = await settledPage(guest, { browser })
    expect(await groupOf(next.zero)).not.toBe(before)
    expect(await next.zero.run(queries.me(), { type: 'complete' })).toMatchObject({ setting: { nickname: 'Kept' } })
  })

  test('Unauthorized: the client waits for a token and keeps its writes', async () => {
    const guest = await newGuest(product.url)
    const page = await pageOf(guest, { auth: 'a.b.c' })
    await page.until('needs-auth')
    expect(TamperedSocket.last().tags).toEqual(['error'])
    expect(TamperedSocket.last().errors).toEqual([expect.objectContaining({ kind: 'Unauthorized', origin: 'zeroCache' })])
    const { zero, calls } = page
    const connections = TamperedSocket.all.length
    await zero.connection.connect({ auth: await guest.token() })
    await page.until('connected')
    expect(TamperedSocket.all.length).toBe(connections + 1)

    // The same on an open connection, by an invalid renewed token.
    zero.preload(queries.me())
    await zero.run(queries.me(), { type: 'complete' })
    await zero.connection.connect({ auth: 'a.b.c' })
    await page.until('needs-auth')
    const written = nickname(zero, 'Waited')
    expect(await written.client).toMatchObject({ type: 'success' })
    await zero.connection.connect({ auth: await guest.token() })
    expect(await written.server).toMatchObject({ type: 'success' })
    expect(page.states).not.toContain('error')
    expect(calls).toEqual([])
  })
})

describe('errors on an open connection', () => {
  test('[C7] Unauthorized: signing out ends every page, and its token is refused', async () => {
    const guest = await newGuest(product.url)
    const token = await guest.token()
    const pages = [await settledPage(guest), await settledPage(guest)]
    await guest.fetch('/api/auth/sign-out', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })
    await Promise.all(pages.map(({ until }) => until('needs-auth')))
    const [page] = pages as [Page, Page]
    await page.zero.connection.connect({ auth: token })
    await eventually(() => page.states.filter((name) => name === 'needs-auth').length > 1)
    expect(page.states.slice(-3)).toEqual(['needs-auth', 'connecting', 'needs-auth'])
    expect(page.calls).toEqual([])
  })

  test('[R6] [X3] ServerOverloaded: the client reconnects and never stops', async () => {
    const page = await settledPage(await newGuest(product.url))
    const socket = TamperedSocket.last()
    for (let i = 0; i < 5000; i++) socket.send('["ping", {}]')
    await page.until('connecting')
    expect(socket.errors).toEqual([expect.objectContaining({ kind: 'ServerOverloaded', origin: 'zeroCache' })])
    const written = nickname(page.zero, 'Meanwhile')
    expect(await written.client).toMatchObject({ type: 'success' })
    expect(await written.server).toMatchObject({ type: 'success' })
    expect(page.states).not.toContain('error')
    expect(page.calls).toEqual([])
  })
})

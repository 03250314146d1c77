// The real, unmodified Zero client in Node against the running product. Rules: worker/sync/SPEC.md.
import { type ResultType, Zero } from '@rocicorp/zero'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { mutators } from '../../worker/contract/mutators.ts'
import { queries } from '../../worker/contract/queries.ts'
import { schema } from '../../worker/contract/schema.ts'
import { type Guest, newGuest } from '../support/guest.ts'
import { type Product, startProduct } from '../support/product.ts'
import { type View, viewThread } from '../support/thread-view.ts'
import { countReceived } from './counting-socket.ts'

const received = countReceived()
let product: Product
const open = new Set<Zero>()
let made = 0

beforeAll(async () => {
  product = await startProduct()
})
afterEach(async () => {
  await Promise.all([...open].map((zero) => zero.close()))
  open.clear()
})
afterAll(async () => {
  await product?.stop()
})

/** Another browser: a separate client group of the same user. */
async function browserOf(guest: Guest, auth?: string): Promise<Zero> {
  const zero = new Zero({
    cacheURL: product.url,
    userID: guest.userId,
    auth: auth ?? (await guest.token()),
    schema,
    mutators,
    context: { userId: guest.userId },
    kvStore: 'mem',
    storageKey: `browser${++made}`,
    // The client logs every refusal, which these tests cause.
    logLevel: 'error',
    logSink: { log: () => undefined },
  })
  open.add(zero)
  return zero
}

const freshId = (kind: string) => `${kind}-${process.pid}-${++made}-${Date.now().toString(36)}`
const turn = (text = '/demo chunks=3 delay=0', threadId = freshId('thread')) => ({
  threadId,
  messageId: freshId('message'),
  answerId: freshId('answer'),
  parentId: null,
  modelId: 'kimi-k2',
  text,
  at: Date.now(),
})

/** Resolves as soon as the view matches; the test's timeout is the only clock. */
const watch = <T>(view: View<T>) => ({
  until: (holds: (data: T, type: ResultType) => boolean) =>
    new Promise<T>((resolve) => {
      const stop = view.addListener((data, type) => {
        // The view's data is read-only, and the tests only read it.
        if (!holds(data as T, type)) return
        queueMicrotask(() => stop())
        resolve(data as T)
      })
    }),
})

const untilState = (zero: Zero, name: string) =>
  new Promise<void>((resolve) => {
    const check = () => {
      if (zero.connection.state.current.name !== name) return
      queueMicrotask(() => stop())
      resolve()
    }
    const stop = zero.connection.state.subscribe(check)
    check()
  })

describe('a first connection', () => {
  test('[Q1] returns the user with relations and every model in order', async () => {
    const guest = await newGuest(product.url)
    const zero = await browserOf(guest)
    const me = await zero.run(queries.me(), { type: 'complete' })
    expect(me).toMatchObject({
      id: guest.userId,
      isAnonymous: true,
      emailVerified: false,
      setting: { mode: 'dark', theme: 'default', model: { id: 'kimi-k2' }, pinnedModels: expect.any(Array) },
      usage: { credits: 0 },
    })
    const models = await zero.run(queries.models.all(), { type: 'complete' })
    expect(models.length).toBeGreaterThan(20)
    expect(models.map(({ position }) => position)).toEqual(models.map(({ position }) => position).sort((a, b) => a - b))
    expect(await zero.run(queries.organizations.mine(), { type: 'complete' })).toEqual([])
  })

  test('[C6] a new token while connected keeps the connection', async () => {
    const guest = await newGuest(product.url)
    const zero = await browserOf(guest)
    await zero.run(queries.me(), { type: 'complete' })
    const { connections } = received
    await zero.connection.connect({ auth: await guest.token() })
    expect(await zero.mutate(mutators.settings.update({ nickname: 'Renewed' })).server).toMatchObject({ type: 'success' })
    expect(received.connections).toBe(connections)
  })
})

describe('writing', () => {
  test('[T1] a message is shown at once, confirmed, answered and counted', async () => {
    const zero = await browserOf(await newGuest(product.url))
    const thread = watch(zero.materialize(queries.threads.one({ threadId: 'not-yet-there' })))
    await thread.until((_row, type) => type === 'complete')
    const me = watch(zero.materialize(queries.me()))
    await me.until((row, type) => type === 'complete' && row !== undefined)
    await zero.run(queries.models.all(), { type: 'complete' })
    const args = turn()
    const mine = watch(viewThread(zero, args.threadId))
    const sent = zero.mutate(mutators.threads.send(args))
    expect(await sent.client).toMatchObject({ type: 'success' })
    await mine.until((row) => row?.messages.length === 1)
    expect(await sent.server).toMatchObject({ type: 'success' })
    const answered = await mine.until((row) => row?.status === 'ready' && row.messages.length === 2)
    expect(answered?.messages.map(({ message }) => message.role)).toEqual(['user', 'assistant'])
    expect(answered).toMatchObject({ headId: args.answerId, streamId: null, title: expect.any(String) })
    await me.until((row) => row?.usage?.credits === 1)
  })

  test('[P3] a refusal of the server removes the optimistic rows', async () => {
    const zero = await browserOf(await newGuest(product.url))
    // Without `me` this client does not know that it is a guest.
    const models = await zero.run(queries.models.all(), { type: 'complete' })
    const forAccounts = models.find(({ access }) => access === 'account_required')
    const threads = watch(zero.materialize(queries.threads.list({ limit: 50 })))
    await threads.until((_rows, type) => type === 'complete')
    zero.preload(queries.models.all())
    const sent = zero.mutate(mutators.threads.send({ ...turn(), modelId: forAccounts?.id ?? '' }))
    expect(await sent.client).toMatchObject({ type: 'success' })
    await threads.until((rows) => rows.length === 1)
    expect(await sent.server).toMatchObject({
      type: 'error',
      error: { type: 'app', message: 'account_required', details: { code: 'account_required' } },
    })
    await threads.until((rows) => rows.length === 0)
    expect(await zero.mutate(mutators.threads.rename({ threadId: 'still-works', title: 'x' })).client).toMatchObject({ type: 'error' })
    expect(zero.connection.state.current.name).toBe('connected')
  })

  test("[K2] two browsers of one user show each other's changes", async () => {
    const guest = await newGuest(product.url)
    const [one, two] = [await browserOf(guest), await browserOf(guest)]
    await one.run(queries.me(), { type: 'complete' })
    await one.run(queries.models.all(), { type: 'complete' })
    const list = watch(two.materialize(queries.threads.list({ limit: 50 })))
    await list.until((_rows, type) => type === 'complete')
    const recent = watch(two.materialize(queries.threads.recent()))
    await recent.until((_rows, type) => type === 'complete')
    const args = turn()
    one.mutate(mutators.threads.send(args))
    await list.until((rows) => rows[0]?.id === args.threadId)
    await recent.until((rows) => rows[0]?.status === 'ready')
    await watch(viewThread(two, args.threadId)).until((thread) => thread?.messages.length === 2)
    expect(await two.mutate(mutators.threads.rename({ threadId: args.threadId, title: 'From the other side' })).server).toMatchObject({
      type: 'success',
    })
    const own = watch(one.materialize(queries.threads.one({ threadId: args.threadId })))
    await own.until((row) => row?.title === 'From the other side')
    await two.mutate(mutators.threads.delete({ threadIds: [args.threadId], at: Date.now() })).server
    await own.until((row, type) => type === 'complete' && row === undefined)
  })
})

describe('the server restarts', () => {
  test('[C3] clients reconnect, and no row is sent again', async () => {
    const guest = await newGuest(product.url)
    const zero = await browserOf(guest)
    const models = watch(zero.materialize(queries.models.all()))
    const all = await models.until((rows, type) => type === 'complete' && rows.length > 20)
    await zero.run(queries.me(), { type: 'complete' })
    const before = { ...received }
    // A busy machine reports the closed socket late; until then the client counts itself as connected.
    const isCutOff = untilState(zero, 'connecting')
    await product.restart()
    await isCutOff
    const other = await browserOf(guest)
    await other.mutate(mutators.settings.update({ nickname: 'After' })).server
    // Both browsers; a busy machine may need more than one attempt for each.
    await expect.poll(() => received.connections - before.connections).toBeGreaterThanOrEqual(2)
    await untilState(zero, 'connected')
    // Rows after the restart went to the new browser, which has no queries.
    expect(received.rows - before.rows).toBe(0)
    expect(await zero.run(queries.models.all(), { type: 'complete' })).toHaveLength(all.length)
  })
})

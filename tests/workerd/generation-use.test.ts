// Tokens and cost of a turn in the real object on the real D1. The audit after each test compares them with the ledger.
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { TurnOrder } from '../../worker/contract/turn.ts'
import { content } from './bindings.ts'
import type { BatchFault } from './faulty-generation.ts'
import { fireAlarm, generationOf, givenTurn, inside, kill, openStream, readEvents, recordOf, untilEnded, untilWatched } from './turns.ts'
import { until } from './until.ts'
import { calling, saying, vendor } from './vendor.ts'

afterEach(() => vi.unstubAllGlobals())

const prices = { inputMicroDollarsPerMillionTokens: 2_000_000, outputMicroDollarsPerMillionTokens: 10_000_000 }
/** One input token and one output token, in micro-dollars. */
const cost = 12
const priced = async (text: string, options: Parameters<typeof givenTurn>[1] = {}): Promise<TurnOrder> => {
  const order = await givenTurn(text, { untitled: false, ...options })
  return { ...order, model: { ...order.model, ...prices } }
}

const rows = async (sql: string, ...values: string[]) =>
  (
    await content
      .prepare(sql)
      .bind(...values)
      .all<Record<string, unknown>>()
  ).results

async function usedBy({ generationId, threadId, userId }: TurnOrder) {
  const columns = 'requests, unpriced, inputTokens, outputTokens, microDollars'
  return {
    requests: await rows('select id, inputTokens, microDollars from modelRequest where generationId = ? order by id', generationId),
    daily: await rows(`select model, provider, ${columns} from dailyModelUse where userId = ? order by model`, userId),
    thread: (await rows('select tokens, microDollars, unpriced from thread where id = ?', threadId))[0],
  }
}

/** Runs a turn whose requests are answered by the gateway. */
const run = (order: TurnOrder, answer: (call: number) => Promise<Response>, faults: readonly BatchFault[] = []) =>
  inside(order, (generation, state) => {
    generation.reachGateway()
    generation.faults.push(...faults)
    vendor(state, answer)
    return generation.ensure(order)
  })

/** The start of an answer whose end never arrives. */
const begun = () =>
  new Response(
    new ReadableStream({
      start(controller) {
        const parts = [
          { type: 'text-start', id: 't' },
          { type: 'text-delta', id: 't', delta: 'Tea ' },
        ]
        controller.enqueue(new TextEncoder().encode(parts.map((part) => `data: ${JSON.stringify(part)}\n\n`).join('')))
      },
    }),
    { headers: { 'content-type': 'text/event-stream' } },
  )

const untilFirstWord = async (order: TurnOrder) =>
  readEvents(await openStream(order), (events) => events.some((event) => event.type === 'chunk' && event.chunk.type === 'text-delta'))

test('[G13] records every step of an answer with the settlement of its credits', async () => {
  const order = await priced('tea?', { mode: 'search' })
  await run(order, async (call) => (call === 1 ? calling('search', '{"query":"tea"}') : saying('Tea.')))
  await untilEnded(order)
  expect(await usedBy(order)).toEqual({
    requests: [1, 2].map((step) => ({ id: `${order.generationId}:answer:${step}`, inputTokens: 1, microDollars: cost })),
    daily: [
      {
        ...{ model: 'moonshotai/kimi-k2', provider: 'gateway', requests: 2, unpriced: 0 },
        ...{ inputTokens: 2, outputTokens: 2, microDollars: 2 * cost },
      },
    ],
    thread: { tokens: 4, microDollars: 2 * cost, unpriced: null },
  })
  expect((await recordOf(order)).answer?.metadata).toMatchObject({
    firstWordMs: expect.any(Number),
    use: { requests: 2, unpriced: 0, inputTokens: 2, outputTokens: 2, microDollars: 2 * cost },
  })
})

test('[G16] records and names the fallback of the gateway that answered, at its price', async () => {
  const order = await priced('tea?')
  const cheaper = { ...prices, inputMicroDollarsPerMillionTokens: 1_000_000, cachedInputMicroDollarsPerMillionTokens: null }
  const fallback = { name: 'Kimi K2.5', model: 'moonshotai/kimi-k2.5', provider: 'gateway', ...cheaper }
  const modelAttempts = [
    { canonicalSlug: order.model.model, success: false },
    { canonicalSlug: fallback.model, success: true },
  ]
  await run({ ...order, fallbacks: [fallback] }, async () => saying('Tea.', { gateway: { routing: { modelAttempts } } }))
  await untilEnded(order)
  expect((await usedBy(order)).daily).toMatchObject([{ model: 'moonshotai/kimi-k2.5', microDollars: 11 }])
  expect((await recordOf(order)).answer?.metadata).toMatchObject({ modelName: 'Kimi K2', answeredBy: ['Kimi K2.5'] })
})

test('[G14] counts a request once if D1’s response is lost and the ending is repeated', async () => {
  const order = await priced('tea?')
  await run(order, async () => saying('Tea.'), ['unheard'])
  await untilEnded(order)
  await untilWatched(order)
  await fireAlarm(order)
  expect(await usedBy(order)).toMatchObject({ daily: [{ requests: 1, microDollars: cost }], thread: { tokens: 2, microDollars: cost } })
})

describe('[G15] a request without figures is counted, and its cost is unknown', () => {
  const unknown = {
    requests: [{ inputTokens: null, microDollars: null }],
    daily: [{ requests: 1, unpriced: 1, inputTokens: 0, microDollars: 0 }],
    thread: { tokens: null, microDollars: null, unpriced: 1 },
  }

  test('when the user stops the answer', async () => {
    const order = await priced('tea?')
    await run(order, async () => begun())
    await untilFirstWord(order)
    await generationOf(order).stop(order.generationId, order.userId)
    await untilEnded(order)
    expect(await usedBy(order)).toMatchObject(unknown)
  })

  test('when the object dies', async () => {
    const order = await priced('tea?')
    await run(order, async () => begun())
    await untilFirstWord(order)
    await untilWatched(order)
    await kill(order)
    await fireAlarm(order)
    await untilEnded(order)
    expect(await usedBy(order)).toMatchObject(unknown)
  })
})

test('a refused request and the demo model record nothing', async () => {
  const [refused, demo] = [await priced('tea?'), await priced('/demo chunks=2 delay=0')]
  await run(refused, async () => Response.json({ error: { message: 'no', type: 'authentication_error' } }, { status: 401 }))
  await generationOf(demo).ensure(demo)
  for (const order of [refused, demo]) {
    await untilEnded(order)
    expect(await usedBy(order)).toMatchObject({ requests: [], daily: [], thread: { tokens: null, microDollars: null, unpriced: null } })
  }
})

test('the title’s request counts for its own model, and in the sum of the thread', async () => {
  const order = await priced('Why do tides come?', { untitled: true })
  const whole = {
    content: [{ type: 'text', text: 'Tides' }],
    finishReason: { unified: 'stop', raw: 'stop' },
    usage: { inputTokens: { total: 60 }, outputTokens: { total: 4 } },
    warnings: [],
  }
  await inside(order, (generation) => {
    generation.reachGateway()
    vi.stubGlobal('fetch', async (_input: unknown, init?: RequestInit) =>
      new Headers(init?.headers).get('ai-language-model-streaming') === 'true' ? saying('The moon.') : Response.json(whole),
    )
    return generation.ensure(order)
  })
  await untilEnded(order)
  const title = { id: `${order.generationId}:title:1`, inputTokens: 60, microDollars: 10 }
  await until(
    () => usedBy(order),
    ({ requests }) => requests.length === 2,
    'the request of the title',
  )
  expect(await usedBy(order)).toMatchObject({
    requests: [{ id: `${order.generationId}:answer:1`, microDollars: cost }, title],
    daily: [
      { model: 'mistral/ministral-8b', requests: 1, microDollars: 10 },
      { model: 'moonshotai/kimi-k2', requests: 1, microDollars: cost },
    ],
    thread: { tokens: 66, microDollars: cost + 10 },
  })
})

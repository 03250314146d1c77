// Tokens and cost of a turn in the real object on the real D1. The audit after each test compares them with the ledger.
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { StartTurn } from '../../worker/contract/threads/turn.ts'
import { content } from './bindings.ts'
import type { BatchFault } from './faulty-generation.ts'
import { calling, saying, stubProvider } from './provider.ts'
import { fireAlarm, generationOf, givenTurn, inside, kill, openStream, readEvents, recordOf, untilEnded, untilWatched } from './turns.ts'
import { until } from './until.ts'

afterEach(() => vi.unstubAllGlobals())

const prices = { inputMicroDollarsPerMillionTokens: 2_000_000, outputMicroDollarsPerMillionTokens: 10_000_000 }
/** One input token and one output token, in micro-dollars. */
const cost = 12
const priced = async (text: string, options: Parameters<typeof givenTurn>[1] = {}): Promise<StartTurn> => {
  const turn = await givenTurn(text, { needsTitle: false, ...options })
  return { ...turn, model: { ...turn.model, ...prices } }
}

const rows = async (sql: string, ...values: string[]) =>
  (
    await content
      .prepare(sql)
      .bind(...values)
      .all<Record<string, unknown>>()
  ).results

async function usedBy({ generationId, threadId, userId }: StartTurn) {
  const columns = 'requests, unpriced, inputTokens, outputTokens, microDollars'
  return {
    requests: await rows('select id, inputTokens, microDollars from modelRequest where generationId = ? order by id', generationId),
    daily: await rows(`select model, provider, ${columns} from dailyModelUse where userId = ? order by model`, userId),
    thread: (await rows('select tokens, microDollars, unpriced from thread where id = ?', threadId))[0],
  }
}

/** Runs a turn whose requests are answered by the gateway. */
const run = (turn: StartTurn, answer: (call: number) => Promise<Response>, faults: readonly BatchFault[] = []) =>
  inside(turn, (generation, state) => {
    generation.reachGateway()
    generation.faults.push(...faults)
    stubProvider(state, answer)
    return generation.start(turn)
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

const untilFirstWord = async (turn: StartTurn) =>
  readEvents(await openStream(turn), (events) => events.some((event) => event.type === 'chunk' && event.chunk.type === 'text-delta'))

test('[G13] records every step of an answer with the settlement of its credits', async () => {
  const turn = await priced('tea?', { mode: 'search' })
  await run(turn, async (call) => (call === 1 ? calling('search', '{"query":"tea"}') : saying('Tea.')))
  await untilEnded(turn)
  expect(await usedBy(turn)).toEqual({
    requests: [1, 2].map((step) => ({ id: `${turn.generationId}:answer:${step}`, inputTokens: 1, microDollars: cost })),
    daily: [
      {
        ...{ model: 'moonshotai/kimi-k2', provider: 'gateway', requests: 2, unpriced: 0 },
        ...{ inputTokens: 2, outputTokens: 2, microDollars: 2 * cost },
      },
    ],
    thread: { tokens: 4, microDollars: 2 * cost, unpriced: null },
  })
  expect((await recordOf(turn)).answer?.metadata).toMatchObject({
    firstWordMs: expect.any(Number),
    use: { requests: 2, unpriced: 0, inputTokens: 2, outputTokens: 2, microDollars: 2 * cost },
  })
})

test('[G16] records and names the fallback of the gateway that answered, at its price', async () => {
  const turn = await priced('tea?')
  const cheaper = { ...prices, inputMicroDollarsPerMillionTokens: 1_000_000, cachedInputMicroDollarsPerMillionTokens: null }
  const fallback = { name: 'Kimi K2.5', model: 'moonshotai/kimi-k2.5', provider: 'gateway', ...cheaper }
  const modelAttempts = [
    { canonicalSlug: turn.model.model, success: false },
    { canonicalSlug: fallback.model, success: true },
  ]
  await run({ ...turn, fallbacks: [fallback] }, async () => saying('Tea.', { gateway: { routing: { modelAttempts } } }))
  await untilEnded(turn)
  expect((await usedBy(turn)).daily).toMatchObject([{ model: 'moonshotai/kimi-k2.5', microDollars: 11 }])
  expect((await recordOf(turn)).answer?.metadata).toMatchObject({ modelName: 'Kimi K2', answeredBy: ['Kimi K2.5'] })
})

test('[G14] counts a request once if D1’s response is lost and the ending is repeated', async () => {
  const turn = await priced('tea?')
  await run(turn, async () => saying('Tea.'), ['response-lost'])
  await untilEnded(turn)
  await untilWatched(turn)
  await fireAlarm(turn)
  expect(await usedBy(turn)).toMatchObject({ daily: [{ requests: 1, microDollars: cost }], thread: { tokens: 2, microDollars: cost } })
})

describe('[G15] a request without figures is counted, and its cost is unknown', () => {
  const unknown = {
    requests: [{ inputTokens: null, microDollars: null }],
    daily: [{ requests: 1, unpriced: 1, inputTokens: 0, microDollars: 0 }],
    thread: { tokens: null, microDollars: null, unpriced: 1 },
  }

  test('when the user stops the answer', async () => {
    const turn = await priced('tea?')
    await run(turn, async () => begun())
    await untilFirstWord(turn)
    await generationOf(turn).stop(turn.generationId, turn.userId)
    await untilEnded(turn)
    expect(await usedBy(turn)).toMatchObject(unknown)
  })

  test('when the object dies', async () => {
    const turn = await priced('tea?')
    await run(turn, async () => begun())
    await untilFirstWord(turn)
    await untilWatched(turn)
    await kill(turn)
    await fireAlarm(turn)
    await untilEnded(turn)
    expect(await usedBy(turn)).toMatchObject(unknown)
  })
})

test('a refused request and the demo model record nothing', async () => {
  const [refused, demo] = [await priced('tea?'), await priced('/demo chunks=2 delay=0')]
  await run(refused, async () => Response.json({ error: { message: 'no', type: 'authentication_error' } }, { status: 401 }))
  await generationOf(demo).start(demo)
  for (const turn of [refused, demo]) {
    await untilEnded(turn)
    expect(await usedBy(turn)).toMatchObject({ requests: [], daily: [], thread: { tokens: null, microDollars: null, unpriced: null } })
  }
})

test('the title’s request counts for its own model, and in the sum of the thread', async () => {
  const turn = await priced('Why do tides come?', { needsTitle: true })
  const whole = {
    content: [{ type: 'text', text: 'Tides' }],
    finishReason: { unified: 'stop', raw: 'stop' },
    usage: { inputTokens: { total: 60 }, outputTokens: { total: 4 } },
    warnings: [],
  }
  await inside(turn, (generation) => {
    generation.reachGateway()
    vi.stubGlobal('fetch', async (_input: unknown, init?: RequestInit) =>
      new Headers(init?.headers).get('ai-language-model-streaming') === 'true' ? saying('The moon.') : Response.json(whole),
    )
    return generation.start(turn)
  })
  await untilEnded(turn)
  const title = { id: `${turn.generationId}:title:1`, inputTokens: 60, microDollars: 10 }
  await until(
    () => usedBy(turn),
    ({ requests }) => requests.length === 2,
    'the request of the title',
  )
  expect(await usedBy(turn)).toMatchObject({
    requests: [{ id: `${turn.generationId}:answer:1`, microDollars: cost }, title],
    daily: [
      { model: 'mistral/ministral-8b', requests: 1, microDollars: 10 },
      { model: 'moonshotai/kimi-k2', requests: 1, microDollars: cost },
    ],
    thread: { tokens: 66, microDollars: cost + 10 },
  })
})

// Traces and metrics in the real runtime: a collector on loopback receives requests, turns, model calls and sync, and nothing that a user wrote
// or that signs a user in.
import { createServer, type Server } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mutators } from '../../worker/contract/mutators.ts'
import { queries } from '../../worker/contract/queries.ts'
import { newGuest } from '../support/guest.ts'
import { startOpenAICompatiblePeer } from '../support/peers/openai-compatible.ts'
import { listen, type Peer } from '../support/peers/peer-server.ts'
import { type Product, startProduct } from '../support/product.ts'
import { until, viewThread } from '../support/thread-view.ts'
import { connectZero } from '../support/zero-client.ts'

type Attribute = { readonly key: string; readonly value: { readonly stringValue?: string; readonly intValue?: number | string } }
type SpanBody = { readonly name: string; readonly traceId: string; readonly attributes?: readonly Attribute[] }
type Traces = { readonly resourceSpans?: readonly { readonly scopeSpans: readonly { readonly spans: readonly SpanBody[] }[] }[] }
type Metrics = {
  readonly resourceMetrics?: readonly { readonly scopeMetrics: readonly { readonly metrics: readonly { name: string }[] }[] }[]
}

const received: { readonly path: string; readonly key: string | undefined; readonly body: string }[] = []
let isFailing = false
let collector: Server
let provider: Peer
let product: Product

beforeAll(async () => {
  collector = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      received.push({ path: request.url ?? '', key: request.headers['x-key']?.toString(), body })
      response.writeHead(isFailing ? 503 : 200).end('{}')
    })
  })
  provider = await startOpenAICompatiblePeer([{ kind: 'answer', words: ['A secret ', 'answer.'] }])
  product = await startProduct({
    env: {
      OPENAI_COMPATIBLE_URL: provider.url,
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await listen(collector)}`,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-key=the%20key',
    },
  })
})
afterAll(async () => {
  await product?.stop()
  await provider?.stop()
  collector?.close()
})

const bodies = <Body>(path: string): Body[] => received.filter((one) => one.path === path).map(({ body }) => JSON.parse(body) as Body)
const spans = () =>
  bodies<Traces>('/v1/traces').flatMap(({ resourceSpans = [] }) =>
    resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
  )
const spanNames = () => new Set(spans().map(({ name }) => name))
const metricNames = () =>
  new Set(
    bodies<Metrics>('/v1/metrics').flatMap(({ resourceMetrics = [] }) =>
      resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics.map(({ name }) => name))),
    ),
  )

async function ask(text: string): Promise<void> {
  const guest = await newGuest(product.url)
  const { zero, close } = await connectZero(guest)
  await zero.preload(queries.models.all()).complete
  const ids = { threadId: `thread-${text.length}-of-telemetry`, messageId: `message-${text.length}`, answerId: `answer-${text.length}` }
  const thread = viewThread(zero, ids.threadId)
  await zero.mutate(mutators.threads.send({ ...ids, parentId: null, modelId: 'gpt-4o-mini', text, at: Date.now() })).server
  await until(thread, (data) => data?.messages.some(({ id }) => id === ids.answerId) ?? false)
  await close()
}

test('requests, the turn, the call of its model and the steps of sync arrive, with the key of the collector', async () => {
  await ask('My private question')
  await expect
    .poll(() => [...spanNames()], { timeout: 20_000 })
    .toEqual(
      expect.arrayContaining(['POST /api/auth/*', 'GET /sync/:version{v[0-9]+}/connect', 'turn', 'chat openai/gpt-4o-mini', 'sync push']),
    )
  await expect
    .poll(() => [...metricNames()], { timeout: 20_000 })
    .toEqual(expect.arrayContaining(['http.server.request.duration', 'parley.turn.duration', 'parley.sync.step.duration']))
  expect(new Set(received.map(({ key }) => key))).toEqual(new Set(['the key']))
  const turn = spans().find(({ name }) => name === 'turn')
  expect(turn?.attributes).toEqual(
    expect.arrayContaining([
      { key: 'parley.mode', value: { stringValue: 'chat' } },
      { key: 'parley.ending', value: { stringValue: 'completed' } },
    ]),
  )
})

test('nothing that a user wrote, and no address that signs a user in, is sent', async () => {
  const token = 'token-of-a-magic-link-that-nobody-may-read'
  await fetch(`${product.url}/magic-link?token=${token}`)
  await fetch(`${product.url}/api/auth/magic-link/verify?token=${token}`)
  await fetch(`${product.url}/share/an-id-of-a-share-that-is-secret`)
  const before = received.length
  await expect.poll(() => received.length, { timeout: 20_000 }).toBeGreaterThan(before)
  await expect.poll(() => [...spanNames()], { timeout: 20_000 }).toEqual(expect.arrayContaining(['GET /share/:id']))
  const sent = received.map(({ body }) => body).join('\n')
  for (const secret of [token, 'an-id-of-a-share', 'private question', 'secret answer', 'token=', 'of-telemetry'])
    expect(sent).not.toContain(secret)
})

test('a collector that fails changes no answer', async () => {
  isFailing = true
  await ask('While the collector is away')
  await expect.poll(() => product.output.some((line) => line.includes('telemetry_refused')), { timeout: 20_000 }).toBe(true)
})

/**
 * Calls of a tool server on loopback: from Allow to the call, and what a step with a call adds between two requests to the model.
 *   Allow to the call: from the decision on the sync socket to `tools/call` at the server. The floor does the same work with minimal code, as in
 *               first-word.ts: a D1 batch, an existing object that stores its order, and one request. The product sends three more before the call, to connect and to
 *               read the definition again.
 *   tool step: from the model's call to its next request. The floor sends the same requests of the protocol to the same server from this process.
 */
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { Benchmark } from '../../../scripts/lib/benchmark.ts'
import { type Account, newAccount, subscribe } from '../../support/account.ts'
import { startGatewayPeer } from '../../support/peers/gateway.ts'
import { close, listen, type Peer } from '../../support/peers/peer-server.ts'
import { echoTool, startToolServer, type ToolServerPeer } from '../../support/peers/tool-server.ts'
import { fixedPrices, startProduct, unlimitedWrites } from '../../support/product.ts'
import { rowsOf, type WireClient } from '../../support/wire-client.ts'
import { connect, me, newId, threadList } from '../clients.ts'
import { type Floor, withFloor } from '../floor.ts'
import { type Blocks, pointOf } from '../sample.ts'

const blocks = 3
const warmUps = 2
const samples = 8

/** Without a hint that it only reads, so that its calls ask. */
const writingTool = { ...echoTool, name: 'write', title: 'Write', annotations: {} }

/** Resolves with the time of the next event. */
class Moments {
  #waiting: ((atMs: number) => void)[] = []

  next(): Promise<number> {
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  now(): void {
    for (const resolve of this.#waiting.splice(0)) resolve(performance.now())
  }
}

type World = {
  readonly account: Account
  readonly server: ToolServerPeer
  readonly called: Moments
  /** A request to the model after the result of a call, and the answer that has a call. */
  readonly asked: Moments
  readonly calling: Moments
}

async function withTools<Result>(run: (world: World) => Promise<Result>): Promise<Result> {
  const [called, asked, calling] = [new Moments(), new Moments(), new Moments()]
  const server = await startToolServer({
    tools: () => [echoTool, writingTool],
    fault: ({ rpc }) => {
      if (rpc?.method === 'tools/call') called.now()
      return false
    },
  })
  const model: Peer = await startGatewayPeer(({ body, streaming }) => {
    if (!streaming) return { kind: 'answer', words: ['Title'] }
    const text = JSON.stringify(body.prompt)
    if (text.includes('"tool-result"')) asked.now()
    if (text.includes('"tool-result"') || text.includes('allowed a call')) return { kind: 'answer', words: ['Done.'] }
    calling.now()
    return { kind: 'tools', calls: [{ name: text.includes('Write it') ? 'sea_write' : 'sea_echo', input: '{"text":"x"}' }] }
  })
  const product = await startProduct({
    env: { ...unlimitedWrites, ...fixedPrices, AI_GATEWAY_API_KEY: 'bench', AI_GATEWAY_URL: model.url },
  })
  try {
    const account = await newAccount(product.url, 'bench@example.test')
    await subscribe(account)
    await account.post('/api/tool-servers', { id: randomUUID(), url: server.url, name: 'Sea' })
    return await run({ account, server, called, asked, calling })
  } finally {
    await Promise.all([product.stop(), model.stop(), server.stop()])
  }
}

const isReady = (client: WireClient, threadId: string) =>
  client.next((frame) => rowsOf(frame).some(({ value }) => value?.id === threadId && value.status === 'ready'))

/** Sends a question in a new thread and waits until its turn has ended. */
async function ask(client: WireClient, text: string): Promise<{ readonly threadId: string }> {
  const [threadId, messageId, answerId] = [newId('thread'), newId('message'), newId('answer')]
  const ready = isReady(client, threadId)
  client.push('threads.send', { threadId, messageId, answerId, parentId: null, text, modelId: 'kimi-k2', at: Date.now() })
  await ready
  return { threadId }
}

async function fromAllow({ account, called }: World): Promise<number[]> {
  const times: number[] = []
  for (let sample = -warmUps; sample < samples; sample++) {
    const threadId = newId('thread')
    const ofThread = { hash: `approvals-${threadId}`, name: 'approvals.ofThread', args: [{ threadId }] }
    const client = await connect(account, [me, threadList, ofThread])
    const waiting = client.next((frame) =>
      rowsOf(frame).some(({ tableName, value }) => tableName === 'approval' && value?.state === 'pending'),
    )
    const ready = isReady(client, threadId)
    const [messageId, answerId] = [newId('message'), newId('answer')]
    client.push('threads.send', { threadId, messageId, answerId, parentId: null, text: 'Write it', modelId: 'kimi-k2', at: Date.now() })
    const [frame] = await Promise.all([waiting, ready])
    const approval = rowsOf(frame).find(({ tableName }) => tableName === 'approval')?.value
    const call = called.next()
    const ended = isReady(client, threadId)
    const startMs = performance.now()
    client.push('approvals.decide', { id: approval?.id, answerId: newId('answer'), decision: 'once' })
    const tookMs = (await call) - startMs
    await ended
    await client.close()
    if (sample >= 0) times.push(tookMs)
  }
  return times
}

async function stepsOf({ account, asked, calling }: World): Promise<number[]> {
  const client = await connect(account, [me, threadList])
  const times: number[] = []
  for (let sample = -warmUps; sample < samples; sample++) {
    const [from, to] = [calling.next(), asked.next()]
    await ask(client, 'Echo it')
    if (sample >= 0) times.push((await to) - (await from))
  }
  await client.close()
  return times
}

/** One order to an object of the floor, until its request arrives. */
async function floorOrders(floor: Floor): Promise<number[]> {
  const arrived = new Moments()
  const peer = createServer((_, response) => {
    arrived.now()
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: {}\n\n')
  })
  const peerUrl = `http://127.0.0.1:${await listen(peer)}/`
  const socket = await floor.connect('turn')
  const name = newId('writer')
  const times: number[] = []
  for (let sample = -warmUps; sample < samples; sample++) {
    const arrival = arrived.next()
    const turn = newId('generation')
    const startMs = performance.now()
    socket.send(JSON.stringify({ name, turn, peerUrl }))
    const tookMs = (await arrival) - startMs
    await (await fetch(`${floor.url}/read?name=${name}&turn=${turn}`)).text()
    if (sample >= 0) times.push(tookMs)
  }
  socket.close()
  await close(peer)
  return times
}

/** The requests of one call, one after the other. */
async function floorCalls({ server }: World): Promise<number[]> {
  const clientInfo = { name: 'floor', version: '1' }
  const requests = [
    { id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/list' },
    { id: 3, method: 'tools/call', params: { name: 'echo', arguments: { text: 'x' } } },
  ]
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const times: number[] = []
  for (let sample = -warmUps; sample < samples; sample++) {
    const startMs = performance.now()
    for (const rpc of requests)
      await (await fetch(server.url, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...rpc }) })).text()
    if (sample >= 0) times.push(performance.now() - startMs)
  }
  return times
}

export const benchmarks: readonly Benchmark[] = [
  {
    id: 'T9',
    name: 'calls of a tool server',
    unit: 'ms',
    run: () =>
      withTools((world) =>
        withFloor(async (floor) => {
          const taken: { readonly [side: string]: number[][] } = { allow: [], order: [], step: [], calls: [] }
          for (let block = 0; block < blocks; block++) {
            taken.order?.push(await floorOrders(floor))
            taken.allow?.push(await fromAllow(world))
            taken.calls?.push(await floorCalls(world))
            taken.step?.push(await stepsOf(world))
          }
          const side = (name: string): Blocks => taken[name] ?? []
          return [
            pointOf('from Allow to the call, p50', side('allow'), side('order')),
            pointOf('added by a step with a call, p50', side('step'), side('calls')),
          ]
        }),
      ),
  },
]

// Two real clients of one guest: versions, the queue, forks and undo reach both, and the queue runs without connected clients.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mutators } from '../../worker/contract/mutators.ts'
import { queries } from '../../worker/contract/queries.ts'
import { type Guest, newGuest } from '../support/guest.ts'
import { startGatewayPeer } from '../support/peers/gateway.ts'
import type { Peer } from '../support/peers/peer-server.ts'
import { type Product, startProduct } from '../support/product.ts'
import { until, viewThread } from '../support/thread-view.ts'
import { connectZero } from '../support/zero-client.ts'

let peer: Peer
let product: Product
/** The first answer waits for it after its text, so that messages can be queued. */
const released = Promise.withResolvers<void>()
beforeAll(async () => {
  peer = await startGatewayPeer(({ body }) => {
    const isHeld = JSON.stringify(body).includes('Stream until the test ends the answer')
    return { kind: 'answer', words: ['Hello ', 'world'], ...(isHeld && { until: released.promise }) }
  })
  // Longer than any test may take.
  product = await startProduct({ env: { AI_GATEWAY_API_KEY: 'key', AI_GATEWAY_URL: peer.url, MODEL_SILENCE_SECONDS: '600' } })
})
afterAll(async () => {
  await product?.stop()
  await peer?.stop()
})

type Client = Awaited<ReturnType<typeof connectZero>>

let made = 0
const freshId = (kind: string) => `${kind}-${process.pid}-${++made}-of-queue`
const threadOf = ({ zero }: Client, threadId: string) => viewThread(zero, threadId)

/** A client with the rows that the mutators read. */
async function client(guest: Guest): Promise<Client> {
  const connected = await connectZero(guest)
  await Promise.all([connected.zero.preload(queries.models.all()).complete, connected.zero.preload(queries.me()).complete])
  return connected
}

const sendArgs = (threadId: string, text: string, parentId: string | null = null) => ({
  threadId,
  messageId: freshId('message'),
  answerId: freshId('answer'),
  parentId,
  modelId: 'kimi-k2',
  text,
  at: Date.now(),
})

const succeeds = async ({ client: early, server }: { client: Promise<{ type: string }>; server: Promise<{ type: string }> }) =>
  expect([await early, await server]).toMatchObject([{ type: 'success' }, { type: 'success' }])

test('a queue is shared while it waits, and runs in order when no client is connected', async () => {
  const guest = await newGuest(product.url)
  const [one, two] = [await client(guest), await client(guest)]
  const threadId = freshId('thread')
  // A client that writes into a thread subscribes to it.
  const here = threadOf(one, threadId)
  await succeeds(one.zero.mutate(mutators.threads.send(sendArgs(threadId, 'Stream until the test ends the answer'))))
  await until(here, (thread) => thread?.status === 'submitted')
  const queued = ['first', 'second'].map((text) => ({
    id: freshId('queued'),
    answerId: freshId('answer'),
    threadId,
    modelId: 'kimi-k2',
    text,
    at: Date.now(),
  }))
  for (const args of queued) await succeeds(one.zero.mutate(mutators.queue.add(args)))
  const seen = await until(threadOf(two, threadId), (thread) => thread?.queue.length === 2)
  expect(seen?.queue.map(({ id }) => id)).toEqual(queued.map(({ id }) => id))
  await Promise.all([one.close(), two.close()])
  released.resolve()

  const later = await client(guest)
  const done = await until(threadOf(later, threadId), (thread) => thread?.status === 'ready' && thread.queue.length === 0)
  expect(
    done?.messages
      .filter(({ message }) => message.role === 'user')
      .map(({ id }) => id)
      .slice(1),
  ).toEqual(queued.map(({ id }) => id))
  expect(done?.messages).toHaveLength(6)
  await until(later.zero.materialize(queries.me()), (row) => row?.usage?.credits === 3)
  await later.close()
})

test('versions, deletion with undo, and a fork are the same on both clients', async () => {
  const guest = await newGuest(product.url)
  const [one, two] = [await client(guest), await client(guest)]
  const threadId = freshId('thread')
  const question = sendArgs(threadId, 'What is this?')
  await succeeds(one.zero.mutate(mutators.threads.send(question)))
  const [here, there] = [threadOf(one, threadId), threadOf(two, threadId)]
  await until(here, (thread) => thread?.headId === question.answerId)
  const again = { threadId, answerId: freshId('answer'), parentId: question.messageId, modelId: 'deepseek-v4-flash', at: Date.now() }
  await succeeds(one.zero.mutate(mutators.threads.answer(again)))
  await until(here, (thread) => thread?.headId === again.answerId)

  await succeeds(one.zero.mutate(mutators.threads.show({ threadId, messageId: question.answerId })))
  await until(there, (thread) => thread?.headId === question.answerId)

  await succeeds(two.zero.mutate(mutators.messages.delete({ threadId, messageId: question.answerId, at: Date.now() })))
  await until(here, (thread) => thread?.headId === again.answerId && thread.messages.length === 2)
  await succeeds(two.zero.mutate(mutators.messages.restore({ threadId, messageId: question.answerId })))
  await until(here, (thread) => thread?.headId === question.answerId && thread.messages.length === 3)

  const newThreadId = freshId('fork-of-this')
  await succeeds(one.zero.mutate(mutators.threads.fork({ threadId, messageId: question.answerId, newThreadId, at: Date.now() })))
  const fork = await until(threadOf(two, newThreadId), (thread) => thread?.messages.length === 2)
  expect(fork?.messages.map(({ id }) => id)).toEqual([`${newThreadId}-0`, `${newThreadId}-1`])
  await Promise.all([one.close(), two.close()])
})

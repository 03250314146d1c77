// End to end in the real runtime: a file from its upload through R2 to a provider.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AttachedFile } from '../../worker/contract/files/files.ts'
import type { FileBody } from '../../worker/contract/http.ts'
import { mutators } from '../../worker/contract/mutators.ts'
import { queries } from '../../worker/contract/queries.ts'
import { type Guest, newGuest } from '../support/guest.ts'
import { startOpenAICompatiblePeer } from '../support/peers/openai-compatible.ts'
import type { Peer } from '../support/peers/peer-server.ts'
import { type Product, startProduct } from '../support/product.ts'
import { concat, pdf, pngOf } from '../support/sample-files.ts'
import { until, viewThread } from '../support/thread-view.ts'
import { connectZero } from '../support/zero-client.ts'

let product: Product
let provider: Peer
beforeAll(async () => {
  provider = await startOpenAICompatiblePeer([{ kind: 'answer', words: ['I ', 'see.'] }])
  product = await startProduct({ env: { OPENAI_COMPATIBLE_URL: provider.url } })
})
afterAll(async () => {
  await product?.stop()
  await provider?.stop()
})

let made = 0
const freshId = (kind: string) => `${kind}-${process.pid}-${++made}-of-providers`

async function upload(guest: Guest, bytes: Uint8Array, name: string): Promise<AttachedFile> {
  const headers = { 'x-upload-id': freshId('upload'), 'x-file-name': encodeURIComponent(name) }
  const response = await guest.fetch('/api/files', { method: 'POST', headers, body: Uint8Array.from(bytes) })
  if (!response.ok) throw new Error(`refused with ${response.status}: ${await response.text()}`)
  return ((await response.json()) as FileBody).file
}

async function connectGuest() {
  const guest = await newGuest(product.url)
  const { zero, close } = await connectZero(guest)
  await Promise.all([zero.preload(queries.models.all()).complete, zero.preload(queries.me()).complete])
  const send = (files: readonly AttachedFile[], modelId: string, text = 'What is it?') => {
    const threadId = freshId('thread')
    const ids = { threadId, messageId: freshId('message'), answerId: freshId('answer') }
    const thread = viewThread(zero, threadId)
    const sent = zero.mutate(
      mutators.threads.send({ ...ids, parentId: null, modelId, text, at: Date.now(), ...(files.length > 0 && { files: [...files] }) }),
    )
    return { ...ids, thread, sent }
  }
  return { guest, zero, close, send }
}

test('a picture, a PDF and a text reach the provider completely, in one body with its length or chunked', async () => {
  const { guest, close, send } = await connectGuest()
  const photograph = concat([pngOf(64, 64), new Uint8Array(3_000_001).map((_, index) => index * 7)])
  const files = [await upload(guest, photograph, 'big.png'), await upload(guest, pdf, 'paper.pdf')]
  const { thread, answerId } = send(files, 'gpt-4o-mini')
  const answered = await until(thread, (data) => data?.messages.some(({ id }) => id === answerId) ?? false)
  expect(answered?.messages.find(({ id }) => id === answerId)?.message.parts.at(-1)).toMatchObject({ type: 'text', text: 'I see.' })
  const request = provider.requests.findLast(({ streaming }) => streaming)
  const messages = request?.body.messages as { content: { image_url?: { url: string }; file?: { file_data: string }; text?: string }[] }[]
  const content = messages.at(-1)?.content ?? []
  expect(content[0]?.image_url?.url === `data:image/png;base64,${Buffer.from(photograph).toString('base64')}`).toBe(true)
  expect(content[1]?.file?.file_data).toBe(`data:application/pdf;base64,${Buffer.from(pdf).toString('base64')}`)
  expect(content[2]?.text).toBe('What is it?')
  expect(Number(request?.headers['content-length'])).toBe(Buffer.byteLength(JSON.stringify(request?.body)))

  const notes = await upload(guest, new TextEncoder().encode('twice "a" day\n世界'), 'notes.txt')
  const second = send([notes], 'kimi-k2', '')
  await until(second.thread, (data) => data?.messages.some(({ id }) => id === second.answerId) ?? false)
  expect(JSON.stringify(provider.requests.findLast(({ streaming }) => streaming)?.body)).toContain(
    JSON.stringify('twice "a" day\n世界').slice(1, -1).replaceAll('\\', '\\\\').replaceAll('\\\\n', '\\n').replaceAll('\\\\"', '\\"'),
  )
  await close()
})

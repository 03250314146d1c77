// End to end in the real runtime: a file from its upload through R2 to a provider, model servers that appear and disappear, and refusals.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AttachedFile } from '../../worker/contract/files.ts'
import type { FileBody } from '../../worker/contract/http.ts'
import { mutators } from '../../worker/contract/mutators.ts'
import { queries } from '../../worker/contract/queries.ts'
import { type Guest, newGuest } from '../support/guest.ts'
import { type OllamaPeer, startOllamaPeer } from '../support/peers/ollama.ts'
import { startOpenAICompatiblePeer } from '../support/peers/openai-compatible.ts'
import type { Peer } from '../support/peers/peer-server.ts'
import { type Product, startProduct } from '../support/product.ts'
import { concat, pdf, pngOf } from '../support/sample-files.ts'
import { until, viewThread } from '../support/thread-view.ts'
import { connectZero } from '../support/zero-client.ts'

let product: Product
let provider: Peer
let ollama: OllamaPeer
beforeAll(async () => {
  provider = await startOpenAICompatiblePeer([{ kind: 'answer', words: ['I ', 'see.'] }])
  ollama = await startOllamaPeer({ 'llama3.2:latest': ['completion', 'tools'], 'gemma3:4b': ['completion', 'vision'] })
  product = await startProduct({ env: { OPENAI_COMPATIBLE_URL: provider.url, OLLAMA_URL: ollama.url } })
})
afterAll(async () => {
  await product?.stop()
  await Promise.all([provider?.stop(), ollama?.stop()])
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

const codeOf = (result: unknown): unknown => (result as { error?: { details?: { code?: string } } }).error?.details?.code

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

test('the server refuses files that the model cannot read, files of other users, and retired models', async () => {
  const [ada, ben] = [await connectGuest(), await connectGuest()]
  const picture = await upload(ada.guest, pngOf(4, 4), 'cat.png')
  const calls = provider.requests.length
  const refused = async (sent: { client: Promise<unknown>; server: Promise<unknown> }) => [
    codeOf(await sent.client),
    codeOf(await sent.server),
  ]
  expect(await refused(ada.send([picture], 'kimi-k2').sent)).toEqual(['images_unsupported', 'images_unsupported'])
  expect(await refused(ada.send([], 'grok-4.1-fast').sent)).toEqual(['model_retired', 'model_retired'])
  // Only the database can decide these two.
  expect(await refused(ben.send([picture], 'gpt-4o-mini').sent)).toEqual([undefined, 'file_missing'])
  expect(await refused(ada.send([{ ...picture, mediaType: 'text/plain' }], 'kimi-k2').sent)).toEqual([undefined, 'file_missing'])
  expect(provider.requests.length).toBe(calls)
  await Promise.all([ada.close(), ben.close()])
})

test('models of an Ollama appear in every catalogue, and disappear when they are uninstalled', async () => {
  const [ada, ben] = [await connectGuest(), await connectGuest()]
  const idsIn = (rows: readonly { readonly id: string; readonly provider: string }[]) =>
    rows.filter(({ provider }) => provider === 'ollama').map(({ id }) => id)
  const catalogue = ada.zero.materialize(queries.models.all())
  const refresh = async (guest: Guest) => expect((await guest.fetch('/api/models/refresh', { method: 'POST' })).status).toBe(204)
  await refresh(ada.guest)
  const found = await until(catalogue, (rows) => idsIn(rows).includes('ollama:gemma3:4b'))
  expect(found.find(({ id }) => id === 'ollama:gemma3:4b')).toMatchObject({
    name: 'gemma3:4b',
    capabilities: ['vision'],
    unavailable: null,
  })
  expect(found.find(({ id }) => id === 'ollama-llama')?.unavailable).toBeNull()

  ollama.installed.delete('gemma3:4b')
  ollama.installed.delete('llama3.2:latest')
  ollama.installed.set('qwen3:8b', ['completion', 'thinking'])
  // Listed at most every five seconds, for any number of open pickers.
  await expect
    .poll(
      async () => {
        await refresh(ben.guest)
        return idsIn(await ben.zero.run(queries.models.all()))
      },
      { timeout: 60_000, interval: 500 },
    )
    .toEqual(['ollama-llama', 'ollama:qwen3:8b'])
  // Reinstalled with more capabilities.
  ollama.installed.set('qwen3:8b', ['completion', 'thinking', 'tools'])
  await expect
    .poll(
      async () => {
        await refresh(ben.guest)
        return (await ben.zero.run(queries.models.all())).find(({ id }) => id === 'ollama:qwen3:8b')
      },
      { timeout: 60_000, interval: 500 },
    )
    .toMatchObject({ capabilities: ['tools', 'reasoning'], temperature: null })
  const { sent } = ben.send([], 'ollama-llama')
  expect(codeOf(await sent.server)).toBe('model_not_installed')
  await Promise.all([ada.close(), ben.close()])
})

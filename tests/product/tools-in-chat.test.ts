// A model in chat that decides to search, through real sockets to a model and to a search provider.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { searchesPerDay } from '../../worker/contract/limits.ts'
import type { AnswerMessage } from '../../worker/contract/threads/messages.ts'
import { newGuest } from '../support/guest.ts'
import { startGatewayPeer } from '../support/peers/gateway.ts'
import type { Peer, Script } from '../support/peers/peer-server.ts'
import { type SearchPeer, startSearchPeer } from '../support/peers/search.ts'
import { fixedPrices, type Product, startProduct, unlimitedWrites } from '../support/product.ts'
import { connectRaw, queries, type RawClient, sendArgs } from './attack-wire.ts'

const call = (name: string, input: object) => ({ kind: 'tools', calls: [{ name, input: JSON.stringify(input) }] }) as const

/** Searches twice, reads a result, and answers. Without the web, the answer states that. */
const model: Script = ({ body, streaming }) => {
  if (!streaming) return { kind: 'answer', words: ['Title'] }
  const messages = JSON.stringify((body as { prompt?: unknown }).prompt ?? body)
  const since = messages.slice(messages.lastIndexOf('"role":"user"'))
  const results = since.match(/"tool-result"/g)?.length ?? 0
  if (since.includes('No search is left today.')) return { kind: 'answer', words: ['Without the web.'] }
  if (!since.includes('does bread rise') || results === 3) return { kind: 'answer', words: ['Yeast ', '[1].'] }
  if (results === 2) return call('read_page', { url: 'https://bread.example/yeast' })
  return call('search', { query: results === 0 ? 'bread' : 'yeast in bread' })
}

let gateway: Peer
let search: SearchPeer
let product: Product
beforeAll(async () => {
  gateway = await startGatewayPeer(model)
  search = await startSearchPeer(
    (query) => ({ kind: 'results', results: [{ title: `About ${query}`, url: 'https://bread.example/yeast', text: 'Yeast eats sugar.' }] }),
    () => ({ kind: 'page', title: 'Yeast', text: 'Yeast eats sugar and makes gas.' }),
  )
  const connections = { AI_GATEWAY_API_KEY: 'key', AI_GATEWAY_URL: gateway.url, SEARCH_URL: search.url, SEARCH_API_KEY: search.key }
  product = await startProduct({ env: { ...unlimitedWrites, ...fixedPrices, ...connections } })
})
afterAll(() => Promise.all([gateway?.stop(), search?.stop(), product?.stop()]))

async function answered(wire: RawClient, args: ReturnType<typeof sendArgs>): Promise<AnswerMessage> {
  expect(await wire.mutate('threads.send', args)).toBeNull()
  const { threadId, answerId } = args
  const isReady = () => wire.rows.get(`thread ${threadId}`)?.status === 'ready' && wire.rows.has(`message ${answerId}`)
  await wire.until(isReady, 'an answer')
  return wire.rows.get(`message ${answerId}`)?.message as AnswerMessage
}

test('[G20] [G22] a turn that searches twice and reads a page uses one search; a follow-up gets the results in short form', async () => {
  const guest = await newGuest(product.url)
  const wire = await connectRaw(guest, { queries })
  const args = sendArgs({ text: 'How does bread rise?' })
  const { parts, metadata } = await answered(wire, args)
  expect(metadata).toMatchObject({ ending: 'completed', origins: ['web'] })
  expect(metadata).not.toHaveProperty('mode')
  expect(parts.flatMap((part) => ('toolCallId' in part ? [`${part.type} ${part.state}`] : []))).toEqual([
    'tool-search output-available',
    'tool-search output-available',
    'tool-read_page output-available',
  ])
  expect(search.asked.map(({ query }) => query)).toEqual(['bread', 'yeast in bread'])
  expect(search.opened.map(({ urls }) => urls)).toEqual([['https://bread.example/yeast']])
  await wire.until(() => wire.rows.get(`usage ${guest.userId}`)?.search === 1, 'one search')

  const { threadId, answerId } = args
  await answered(wire, { ...sendArgs({ text: 'Are you sure?' }), threadId, parentId: answerId as never })
  const followUp = JSON.stringify(gateway.requests.filter(({ streaming }) => streaming).at(-1)?.body)
  expect(followUp).toContain('Searched for: bread')
  expect(followUp).toContain('https://bread.example/yeast')
  expect(followUp).not.toContain('Yeast eats sugar')
  expect(wire.rows.get(`usage ${guest.userId}`)).toMatchObject({ search: 1 })
  await wire.close()
})

test('[G20] a guest without searches left gets an answer without the web', async () => {
  const guest = await newGuest(product.url)
  const wire = await connectRaw(guest, { queries })
  for (let asked = 0; asked < searchesPerDay.guest; asked++) await answered(wire, sendArgs({ text: 'How does bread rise?' }))
  const { parts, metadata } = await answered(wire, sendArgs({ text: 'How does bread rise?' }))
  expect(metadata).toMatchObject({ ending: 'completed', credits: 1 })
  expect(parts).toContainEqual(
    expect.objectContaining({
      type: 'tool-search',
      state: 'output-error',
      errorCode: 'searches_of_day',
      errorText: 'No search is left today.',
    }),
  )
  expect(parts).toContainEqual(expect.objectContaining({ type: 'text', text: 'Without the web.' }))
  expect(wire.rows.get(`usage ${guest.userId}`)).toMatchObject({ search: searchesPerDay.guest })
  await wire.close()
})

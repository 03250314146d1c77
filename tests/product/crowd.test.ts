// Concurrency: a hundred turns of twenty users keep their order and limits, and fifty requests with credits for one start one turn.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { creditsPerDay, unpaidTurnsPerDay } from '../../worker/contract/limits.ts'
import type { ChatMessage } from '../../worker/contract/threads/messages.ts'
import { newGuest } from '../support/guest.ts'
import { startGatewayPeer } from '../support/peers/gateway.ts'
import type { Peer } from '../support/peers/peer-server.ts'
import { fixedPrices, type Product, startProduct, unlimitedWrites } from '../support/product.ts'
import { openRecord } from '../support/record-file.ts'
import { connectRaw, freshId, queries, type RawClient, sendArgs } from './attack-wire.ts'

/** Races of fifty requests each. A user's failed turns are free up to the daily limit, so each user runs that many races. */
const races = process.env.PARLEY_LONG ? 10_000 : 10
const racesEach = unpaidTurnsPerDay
const racers = 50
const users = 20
const threadsEach = 5
const threadsWithQueue = 2
/** This many users then ask for more than the daily limit. */
const sendersOfMore = 4

let peer: Peer
let product: Product
/** The requests of one race fail when this resolves. */
let failure = Promise.withResolvers<void>()
beforeAll(async () => {
  // Replies with the last question, or fails.
  peer = await startGatewayPeer(({ body, streaming }) => {
    if (!streaming) return { kind: 'answer', words: ['Title'] }
    const asked = [...JSON.stringify(body).matchAll(/ask-[\w-]+/g)].at(-1)?.[0] ?? ''
    return asked.includes('fail')
      ? failure.promise.then(() => ({ kind: 'status', status: 400 }))
      : { kind: 'answer', words: ['You asked ', asked] }
  })
  product = await startProduct({ env: { ...unlimitedWrites, ...fixedPrices, AI_GATEWAY_API_KEY: 'key', AI_GATEWAY_URL: peer.url } })
})
afterAll(async () => {
  await peer?.stop()
  await product?.stop()
})

function isReady(wire: RawClient, threadId: string): boolean {
  const { status, headId } = wire.rows.get(`thread ${threadId}`) ?? {}
  return status === 'ready' && wire.rows.has(`message ${headId}`)
}
const waitsFor = (wire: RawClient): number => [...wire.rows.keys()].filter((key) => key.startsWith('queuedMessage ')).length
const codeOf = (refused: Awaited<ReturnType<RawClient['mutate']>>): string => refused?.details?.code ?? 'accepted'

/** The texts of a thread from its first message to its head. */
function pathIn(wire: RawClient, threadId: string): string[] {
  const path: string[] = []
  for (let id = wire.rows.get(`thread ${threadId}`)?.headId; id != null; id = wire.rows.get(`message ${id}`)?.parentId) {
    const message = wire.rows.get(`message ${id}`)?.message
    if (!message) throw new Error(`${id} is on the path and not here`)
    const { role, parts } = message as ChatMessage
    path.unshift(`${role}: ${parts.map((part) => ('text' in part ? part.text : '')).join('')}`)
  }
  return path
}

test(`${users * threadsEach} concurrent turns of ${users} users, some with queued messages: in order, answered once, within the daily limit`, async () => {
  const wires = await Promise.all(Array.from({ length: users }, async () => connectRaw(await newGuest(product.url), { queries })))
  await Promise.all(
    wires.map(async (wire, userIndex) => {
      const names = Array.from({ length: threadsEach }, (_, index) => `ask-${userIndex}-${index}`)
      const threads = await Promise.all(
        names.map(async (name) => {
          const args = sendArgs({ text: `${name}-first` })
          expect(await wire.mutate('threads.send', args)).toBeNull()
          return args.threadId
        }),
      )
      const queued = threads.slice(0, threadsWithQueue)
      await Promise.all(
        queued.map((threadId, index) => {
          const ids = { id: freshId('queued'), answerId: freshId('answer'), threadId, modelId: 'kimi-k2', at: 1 }
          return wire.mutate('queue.add', { ...ids, text: `${names[index]}-second` })
        }),
      )
      await wire.until(() => waitsFor(wire) === 0 && threads.every((threadId) => isReady(wire, threadId)), 'everything answered')
      for (const [index, threadId] of threads.entries())
        expect(pathIn(wire, threadId)).toEqual(
          ['first', ...(index < threadsWithQueue ? ['second'] : [])].flatMap((name) => [
            `user: ${names[index]}-${name}`,
            `assistant: You asked ${names[index]}-${name}`,
          ]),
        )
      if (userIndex >= sendersOfMore) return wire.close()
      const left = creditsPerDay.guest - threadsEach - threadsWithQueue
      const more = await Promise.all(Array.from({ length: 2 * left }, () => wire.mutate('threads.send', sendArgs({ text: 'ask-more' }))))
      expect(more.map(codeOf).filter((code) => code === 'accepted')).toHaveLength(left)
      expect(more.map(codeOf).filter((code) => code === 'credits_exhausted')).toHaveLength(left)
      await wire.until(() => [...wire.rows].every(([key, row]) => !key.startsWith('thread ') || row.status === 'ready'), 'all ready')
      await wire.close()
    }),
  )
})

/** Repeatedly sends fifty requests over five tabs, with credits for one of them. */
async function race(rounds: number): Promise<void> {
  const guest = await newGuest(product.url)
  const tabs = await Promise.all(Array.from({ length: 5 }, () => connectRaw(guest, { queries })))
  const [first] = tabs
  if (!first) throw new Error('five tabs were opened')
  const spend = () => first.mutate('threads.send', sendArgs({ text: 'ask-x' }))
  const spent = await Promise.all(Array.from({ length: creditsPerDay.guest - 1 }, spend))
  expect(new Set(spent.map(codeOf))).toEqual(new Set(['accepted']))
  const credits = () => [...first.rows].find(([key]) => key.startsWith('usage '))?.[1].credits
  for (let round = 0; round < rounds; round++) {
    failure = Promise.withResolvers()
    const asked = Array.from({ length: racers }, (_, index) => ({
      tab: tabs[index % tabs.length] ?? first,
      args: sendArgs({ text: 'ask-fail' }),
    }))
    const codes = await Promise.all(asked.map(async ({ tab, args }) => codeOf(await tab.mutate('threads.send', args))))
    expect(codes.filter((code) => code === 'credits_exhausted')).toHaveLength(racers - 1)
    failure.resolve()
    await first.until(() => credits() === creditsPerDay.guest - 1, 'the credit is back')
  }
  const record = openRecord(product.stateDir, true)
  const count = record.prepare("select count(*) n from generation where userId = ? and status = 'failed'")
  expect({ ...count.get(guest.userId) }).toEqual({ n: rounds })
  record.close()
  await Promise.all(tabs.map((tab) => tab.close()))
}

test(`${races} rounds of ${racers} requests from five tabs with credits for one: one turn starts, and its reserved credits are released`, {
  timeout: races * 18_000,
}, async () => {
  for (let left = races; left > 0; left -= racesEach) await race(Math.min(left, racesEach))
})

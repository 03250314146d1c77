// kill -9 when a provider receives the request. The order is stored by then, so the turn ends as interrupted soon after the restart, with one
// answer, one request and exact credits.
import { expect, test } from 'vitest'
import { newGuest } from '../support/guest.ts'
import { startGatewayPeer } from '../support/peers/gateway.ts'
import type { Script } from '../support/peers/peer-server.ts'
import { type Product, startProduct, unlimitedWrites } from '../support/product.ts'
import { auditRecord, openRecord } from '../support/record-file.ts'
import { connectRaw, sendArgs } from './attack-wire.ts'

const rounds = process.env.PARLEY_LONG ? 100 : 1
const queries = [{ hash: 'recent', name: 'threads.recent', args: [] }]
const words = Array.from({ length: 20 }, (_, index) => `word${index} `)

test(`${rounds} kills when the provider receives the request`, { timeout: rounds * 180_000 }, async () => {
  const deaths = new Map<string, () => void>()
  // Each question kills the server once; its response is lost with the server.
  const script: Script = ({ body, streaming }) => {
    if (!streaming) return { kind: 'answer', words: ['Title'] }
    for (const [answerId, die] of deaths) {
      if (!JSON.stringify(body).includes(answerId)) continue
      deaths.delete(answerId)
      die()
      return { kind: 'mute' }
    }
    return { kind: 'answer', words }
  }
  const peer = await startGatewayPeer(script)
  const product = await startProduct({ env: { ...unlimitedWrites, AI_GATEWAY_API_KEY: 'key', AI_GATEWAY_URL: peer.url } })
  try {
    for (let round = 0; round < rounds; round++) {
      const guest = await newGuest(product.url)
      const wire = await connectRaw(guest, { queries })
      const args = sendArgs()
      const died = new Promise<void>((resolve) => deaths.set(args.answerId, () => resolve(product.kill9())))
      void wire.mutate('threads.send', { ...args, text: `a question ${args.answerId}` }).catch(() => null)
      await died
      expect(await auditRecord(product.stateDir)).toEqual([])
      await product.restart()
      // No client is connected: the alarms alone complete the turn.
      await expect.poll(() => outcomeOf(product, args.answerId).isReady, { interval: 100 }).toBe(true)
      const { answers, status, text, credits } = outcomeOf(product, args.answerId)
      const asked = peer.requests.filter(({ streaming, body }) => streaming && JSON.stringify(body).includes(args.answerId)).length
      expect({ answers, status, text, credits, asked }).toEqual({ answers: 1, status: 'interrupted', text: '', credits: 0, asked: 1 })
    }
  } finally {
    await peer.stop()
    await product.stop()
  }
})

function outcomeOf({ stateDir }: Product, answerId: string) {
  const record = openRecord(stateDir, true)
  const row = record
    .prepare(
      `select generation.status, thread.status = 'ready' isReady, json_extract(message.message, '$.metadata.credits') credits,
         (select count(*) from message sibling where sibling.parentId = generation.parentId) answers,
         (select group_concat(json_extract(value, '$.text'), '') from json_each(message.message, '$.parts') where json_extract(value, '$.type') = 'text') text
       from generation join thread on thread.id = generation.threadId left join message on message.id = generation.id where generation.id = ?`,
    )
    .get(answerId)
  record.close()
  return { status: row?.status, isReady: row?.isReady === 1, credits: row?.credits, answers: row?.answers, text: String(row?.text ?? '') }
}

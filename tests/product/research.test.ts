// A research survives kill -9 of the product: it continues automatically, and answered searches are not repeated.
import { expect, test } from 'vitest'
import { isToolPart } from '../../worker/contract/models/tools.ts'
import { researchPlanOf } from '../../worker/contract/research/research.ts'
import { findingsCallId } from '../../worker/contract/research/research-calls.ts'
import { eventStreamDecoder } from '../../worker/contract/threads/event-stream.ts'
import type { AnswerMessage } from '../../worker/contract/threads/messages.ts'
import { newAccount, subscribe } from '../support/account.ts'
import type { Guest } from '../support/guest.ts'
import { startSearchPeer } from '../support/peers/search.ts'
import { startProduct } from '../support/product.ts'
import { openRecord } from '../support/record-file.ts'
import { connectRaw, freshId, queries, type RawClient, sendArgs } from './attack-wire.ts'

const messageIn = (wire: RawClient, id: string) => wire.rows.get(`message ${id}`)?.message as AnswerMessage | undefined

/** Reads the answer like a browser until this tool call starts. */
async function untilBegun(guest: Guest, threadId: string, answerId: string, toolCallId: string): Promise<void> {
  const { body } = await guest.fetch(`/api/thread/${threadId}/stream?generation=${answerId}`)
  if (!body) throw new Error('no stream')
  const decode = eventStreamDecoder()
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    const events = decode(read.value)
    const begun = events.some(
      (event) => event.type === 'chunk' && event.chunk.type === 'tool-input-available' && event.chunk.toolCallId === toolCallId,
    )
    if (begun) return void (await reader.cancel())
  }
  throw new Error(`${toolCallId} never began`)
}

test('a research continues after kill -9 during its notes', async () => {
  const peer = await startSearchPeer((query) => ({
    kind: 'results',
    results: [{ title: `About ${query}`, url: `https://page.invalid/${encodeURIComponent(query)}`, text: `What is known of ${query}.` }],
  }))
  const product = await startProduct({ env: { SEARCH_URL: peer.url, SEARCH_API_KEY: peer.key } })
  try {
    const user = await newAccount(product.url, 'ada@example.test')
    await subscribe(user)
    let wire = await connectRaw(user, { queries })
    const args = { ...sendArgs({ text: '/demo delay=15 search=tea' }), mode: 'research' }
    expect(await wire.mutate('threads.send', args)).toBeNull()
    await wire.until(() => messageIn(wire, args.answerId) !== undefined, 'the plan')
    expect(peer.asked).toEqual([])
    const ref = { threadId: args.threadId, messageId: args.answerId, at: 1 }
    await wire.mutate('research.removeStep', { ...ref, stepId: 'step-3' })
    const answerId = freshId('answer')
    expect(await wire.mutate('research.start', { ...ref, answerId, modelId: 'kimi-k2' })).toBeNull()

    await untilBegun(user, args.threadId, answerId, findingsCallId('step-1'))
    await product.kill9()
    await product.restart()
    wire = await connectRaw(user, { queries })
    await wire.until(() => messageIn(wire, answerId) !== undefined, 'the report')
    const report = messageIn(wire, answerId)
    expect(report?.metadata).toMatchObject({ ending: 'completed', mode: 'research', credits: 1 })
    const calls = report?.parts.filter(isToolPart) ?? []
    expect(researchPlanOf(calls)?.steps).toHaveLength(2)
    for (const step of ['step-1', 'step-2'])
      expect(calls.find(({ toolCallId }) => toolCallId === findingsCallId(step))).toMatchObject({ state: 'output-available' })
    const asked = peer.asked.map(({ query }) => query)
    expect(asked.toSorted()).toEqual(['tea', 'tea: causes', 'tea: history'])
    await wire.close()

    await product.kill9()
    const record = openRecord(product.stateDir)
    const sum = record.prepare('select sum(credits) credits, sum(research) research from creditLedger where userId = ?').get(user.userId)
    expect({ ...sum }).toEqual({ credits: 1, research: 1 })
    expect({ ...record.prepare('select credits, research from usage where userId = ?').get(user.userId) }).toEqual({ ...sum })
    record.close()
  } finally {
    await product.stop()
    await peer.stop()
  }
})

// Every provider failure against the running product, through every kind of provider connection: the thread becomes ready, received text is
// stored, the reason is shown, the ledger is exact, and Retry and Continue work.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AnswerMessage, MessagePart } from '../../worker/contract/threads/messages.ts'
import { newGuest } from '../support/guest.ts'
import { type Fault, type FaultName, faultNames, faultPrompt, faults, isKept, wholeText } from '../support/peers/faults.ts'
import { openRecord } from '../support/record-file.ts'
import { connectRaw, freshId, queries, type RawClient, sendArgs } from './attack-wire.ts'
import { modelOf, type Providers, startProviders, type Way, ways } from './providers.ts'

const isLong = Boolean(process.env.PARLEY_LONG)
const rounds = isLong ? 50 : 1
/** OpenRouter uses the same package as any other server of that protocol. tests/unit/chat/faults.test.ts has every connection. */
const faultWays = isLong ? ways : (['gateway', 'compatible'] as const satisfies readonly Way[])

let providers: Providers
beforeAll(async () => {
  providers = await startProviders()
})
afterAll(async () => providers?.stop())

type Asked = { readonly threadId: string; readonly messageId: string; readonly answerId: string }

async function ask(wire: RawClient, way: Way, text: string, mode: 'chat' | 'search' = 'chat'): Promise<Asked> {
  const args = sendArgs({ modelId: modelOf(way), text, mode })
  expect(await wire.mutate('threads.send', args)).toBeNull()
  return args
}

/** The stored answer, as soon as every device can see that the thread is ready for the next message. */
async function answered(wire: RawClient, { threadId, answerId }: Pick<Asked, 'threadId' | 'answerId'>): Promise<AnswerMessage> {
  const isReady = () => wire.rows.get(`thread ${threadId}`)?.status === 'ready' && wire.rows.has(`message ${answerId}`)
  await wire.until(isReady, `an answer in ${threadId}`, 150_000)
  return wire.rows.get(`message ${answerId}`)?.message as AnswerMessage
}

const textIn = (parts: readonly MessagePart[]): string =>
  parts.flatMap((part) => (part.type === 'text' && 'text' in part ? [part.text] : [])).join('')

function expectOutcome(name: FaultName, { parts, metadata }: AnswerMessage): void {
  const { code, keeps }: Fault = faults[name]
  const text = textIn(parts)
  expect(isKept[keeps](text), `${name} kept ${JSON.stringify(text.slice(0, 80))}, ${JSON.stringify(metadata.failure)}`).toBe(true)
  expect(metadata.credits, `${name} costs`).toBe(text === '' ? 0 : 1)
  if (metadata.ending === 'completed') expect(code ?? null, name).toBeNull()
  else {
    expect(metadata, name).toMatchObject({ ending: 'failed', failure: { code: expect.any(String) } })
    if (code !== undefined) expect(metadata.failure?.code, name).toBe(code)
  }
}

/** A user may have ten threads pending at once. */
const perGuest = 8

/** One user sends messages that meet these failures, all at once. */
async function runFaults(way: Way, names: readonly FaultName[], round: number): Promise<void> {
  const wire = await connectRaw(await newGuest(providers.product.url), { queries })
  await Promise.all(
    names.map(async (name) => {
      const { mode }: Fault = faults[name]
      const text = faultPrompt(name, round * 1000 + names.indexOf(name))
      expectOutcome(name, await answered(wire, await ask(wire, way, text, mode)))
    }),
  )
  await wire.close()
}

const title = `${rounds} times each of ${faultNames.length} faults by ${faultWays.length} ways: ready, kept, explained, exact`
test(title, { timeout: rounds * 300_000 }, async () => {
  const groups = [...Map.groupBy(faultNames, (_name, index) => Math.floor(index / perGuest)).values()]
  for (let round = 0; round < rounds; round++) {
    await Promise.all(faultWays.flatMap((way) => groups.map((names) => runFaults(way, names, round))))
  }
})

describe.each(ways)('%s', (way) => {
  test('Continue resumes the stored text, Retry starts again, and both are versions next to the first', async () => {
    const wire = await connectRaw(await newGuest(providers.product.url), { queries })
    const cut = await ask(wire, way, faultPrompt('cut-once', 1))
    const begun = textIn((await answered(wire, cut)).parts)
    expect([begun, wholeText.startsWith(begun)]).toEqual(['Hello big ', true])
    const again = { threadId: cut.threadId, parentId: cut.messageId, modelId: modelOf(way), at: 1 }
    const continued = { ...again, answerId: freshId('answer'), continueId: cut.answerId }
    expect(await wire.mutate('threads.answer', continued)).toBeNull()
    const whole = await answered(wire, continued)
    expect(textIn(whole.parts)).toBe(wholeText)
    expect(whole.metadata).toMatchObject({ ending: 'completed', credits: 1 })
    const request = JSON.stringify(
      providers.peers[way].requests.findLast(
        ({ streaming, body }) => streaming && JSON.stringify(body).includes(faultPrompt('cut-once', 1)),
      )?.body,
    )
    expect(request).toContain('"Hello big "')
    expect(request).toContain('Continue it exactly where it stopped')

    const broken = await ask(wire, way, faultPrompt('broken-once', 1))
    expect((await answered(wire, broken)).metadata).toMatchObject({ ending: 'failed', credits: 0 })
    const retried = { threadId: broken.threadId, parentId: broken.messageId, modelId: modelOf(way), answerId: freshId('answer'), at: 1 }
    expect(await wire.mutate('threads.answer', retried)).toBeNull()
    expect(textIn((await answered(wire, retried)).parts)).toBe(wholeText)

    for (const [first, second] of [
      [cut, continued],
      [broken, retried],
    ] as const) {
      expect(wire.rows.get(`message ${first.answerId}`)?.parentId).toBe(wire.rows.get(`message ${second.answerId}`)?.parentId)
      expect(wire.rows.get(`thread ${first.threadId}`)?.headId).toBe(second.answerId)
    }
    await wire.close()
  })
})

test('a provider whose port is closed is reported as unreachable, free of charge', async () => {
  await providers.peers.gateway.stop()
  const wire = await connectRaw(await newGuest(providers.product.url), { queries })
  const { metadata } = await answered(wire, await ask(wire, 'gateway', 'Anybody there?'))
  expect(metadata).toMatchObject({ ending: 'failed', credits: 0, failure: { code: 'model_unreachable' } })
  await wire.close()
})

test('afterwards no credits are reserved and no turn is pending', async () => {
  await providers.product.kill9()
  const record = openRecord(providers.product.stateDir)
  expect(record.prepare("select id from generation where status = 'open'").all()).toEqual([])
  expect(record.prepare("select id from thread where status <> 'ready'").all()).toEqual([])
  record.close()
})

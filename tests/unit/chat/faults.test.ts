// Every fault of a provider, through every connection of the product with its real package: the outcome, the text that remains, the number of
// requests, and the end of a connection that the provider leaves open.
import { expect, test, vi } from 'vitest'
import { type FailureCode, textOf } from '../../../worker/contract/threads/messages.ts'
import { answerTo, searchTools } from '../../support/model-run.ts'
import { type Fault, type FaultName, faultNames, faultOf, faults, isKept, wholeText, words } from '../../support/peers/faults.ts'
import type { Behaviour } from '../../support/peers/peer-server.ts'
import { peersOfTest } from '../../support/peers/peers-of-test.ts'
import { connect, everyConnection, providerConnections } from '../../support/peers/provider-connections.ts'

const peers = peersOfTest()
// The package of Workers AI prints events that it cannot read.
vi.spyOn(console, 'warn').mockImplementation(() => {})

type Way = (typeof everyConnection)[number] & { readonly hasTools: boolean }
const withTools = (way: (typeof everyConnection)[number]): Way => ({ ...way, hasTools: true })
const withoutTools = (way: (typeof everyConnection)[number]): Way => ({ ...way, hasTools: false })
/** Tools change how the SDK reads an answer; one connection of each protocol shows it. */
const ways = [...everyConnection.map(withoutTools), ...providerConnections.map(withTools)]
const httpWays = providerConnections.flatMap((way) => [withoutTools(way), withTools(way)])

/** Only these faults end by silence. Other ones may be slow on a busy machine. */
const silentFaults: readonly string[] = ['mute', 'stall'] satisfies FaultName[]
/** The provider leaves the connection open. */
const openFaults: readonly string[] = ['mute', 'stall', 'open-after-end', 'open-after-end-of-search'] satisfies FaultName[]

/** A cut has another position with each seed. */
const seedsOf = (name: string): readonly number[] => (name === 'cut' ? Array.from({ length: 12 }, (_, seed) => seed) : [7])

async function meet(way: Way, name: string, seed: number, { meets, code, keeps, mode }: Fault): Promise<void> {
  const peer = await way.start(meets(seed))
  peers.push(peer)
  const { model } = connect({ ...way.connections(peer.url), modelSilenceMs: silentFaults.includes(name) ? 2000 : 60_000 }, way.provider)
  const tools = way.hasTools ? searchTools('Hello?') : null
  // One retry, for the fault that needs one.
  const { outcome, parts } = await answerTo('Hello?', { model, tools }, { maxRetries: mode ? 1 : 0 })
  const text = textOf({ parts })
  const what = `${way.provider}${way.hasTools ? ' with tools' : ''}, seed ${seed}`
  if (code === null) expect(outcome, what).toEqual({ ending: 'completed' })
  else if (code) expect(outcome, what).toMatchObject({ ending: 'failed', failure: { code } })
  else if (outcome.ending === 'completed') expect(text, what).toBe(wholeText)
  expect(isKept[keeps](text), `${what} kept ${text.slice(0, 80)}`).toBe(true)
  if (!mode) expect(peer.requests, what).toHaveLength(1)
  if (openFaults.includes(name)) await peer.requests[0]?.abandoned
}

const isOfTools = (name: FaultName): boolean => 'mode' in faults[name]

test.each(faultNames)('%s has its outcome, and keeps the text before it', async (name) => {
  await Promise.all(
    (isOfTools(name) ? everyConnection.map(withTools) : ways).flatMap((way) => {
      const fault = faultOf(name, way.provider)
      return fault ? seedsOf(name).map((seed) => meet(way, name, seed, fault)) : []
    }),
  )
})

const status = (status: number, message?: string): Behaviour => ({ kind: 'status', status, ...(message && { message }) })
const silent = (ends: 'length' | 'content-filter', reasoning: readonly string[]): Behaviour => ({
  kind: 'answer',
  words: [],
  reasoning,
  ends,
})

/** Through the protocols over HTTP. No text is kept. */
const variants: readonly [name: string, code: FailureCode, behaviour: Behaviour][] = [
  ['a forbidden model', 'model_refused_key', status(403)],
  ['no quota, reported as 429', 'model_out_of_funds', status(429, 'insufficient_quota')],
  ['a bad request', 'model_error', status(400)],
  ['an unknown model', 'model_error', status(404)],
  ['a provider behind a broken proxy', 'model_unreachable', status(502)],
  ['an overloaded provider', 'model_busy', status(503)],
  ['a connection torn before the first word', 'model_unreachable', { kind: 'cut', words, bytes: 0 }],
  ['a length limit without anything', 'model_length', silent('length', [])],
  ['a filter after reasoning', 'model_filtered', silent('content-filter', ['hm ', 'ok'])],
  ['a filter without anything', 'model_filtered', silent('content-filter', [])],
  ['an answer in one piece', 'model_no_stream', { kind: 'no-stream', of: 'whole', words }],
]
test.each(variants)('%s: %s', async (name, code, behaviour) => {
  await Promise.all(httpWays.map((way) => meet(way, name, 0, { meets: () => [behaviour], code, keeps: 'nothing' })))
})

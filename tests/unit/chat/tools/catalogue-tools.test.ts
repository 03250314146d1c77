// Every model of the catalogue with tools, called in Search mode at every effort, by providers that reject a second step without the
// signatures of the first.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callSettings } from '../../../../worker/chat/model/call-settings.ts'
import { connectModel } from '../../../../worker/chat/model/providers.ts'
import type { RowOf } from '../../../../worker/contract/schema.ts'
import { textOf } from '../../../../worker/contract/threads/messages.ts'
import { sourcesOf } from '../../../../worker/contract/threads/sources.ts'
import { catalogueRows } from '../../../support/migrated-db.ts'
import { answerTo, searchTools } from '../../../support/model-run.ts'
import { startGatewayPeer } from '../../../support/peers/gateway.ts'
import type { Behaviour, Peer } from '../../../support/peers/peer-server.ts'
import { none } from '../../../support/peers/provider-connections.ts'
import { signatureRefusal } from '../../../support/peers/provider-signatures.ts'

const rows = catalogueRows().filter(
  ({ provider, unavailable, capabilities }) => provider === 'gateway' && unavailable === null && capabilities?.includes('tools'),
)

const search: Behaviour = {
  kind: 'tools',
  reasoning: ['I have to ', 'look.'],
  calls: [{ name: 'search', input: JSON.stringify({ query: 'tides' }) }],
}
const answer: Behaviour = { kind: 'answer', reasoning: ['Found.'], words: ['Twice ', 'a day [1].'] }

let peer: Peer
beforeAll(async () => {
  peer = await startGatewayPeer((_request, index) => (index % 2 === 0 ? search : answer))
})
afterAll(() => peer.stop())

async function ask(row: RowOf<'model'>, effort: string | null) {
  const connected = connectModel({ ...none, gateway: { apiKey: 'key', url: peer.url } }, row)
  if (!connected) throw new Error(`${row.id} is not connected`)
  const question = 'Why tides?'
  return answerTo(question, { model: connected.model, ...callSettings(row, effort), tools: searchTools(question) })
}

test.each(rows.map((row) => [row.id, row] as const))('%s searches, and continues from its first step', async (_id, row) => {
  for (const effort of row.effort?.length ? row.effort : [null]) {
    const { outcome, parts } = await ask(row, effort)
    expect(outcome, String(effort)).toEqual({ ending: 'completed' })
    expect(textOf({ parts })).toBe('Twice a day [1].')
    expect(sourcesOf(parts).length).toBeGreaterThan(0)
  }
})

test('some require signed reasoning and some signed calls: a missing or different signature is refused', () => {
  const slugs = new Set(rows.map(({ model }) => model))
  const thinking = { providerOptions: { anthropic: { thinking: { type: 'adaptive' } } } }
  const call = { type: 'tool-call', input: {} }
  const refused = (slug: string, content: readonly object[], options: object = thinking) =>
    signatureRefusal(slug, { ...options, prompt: [{ role: 'assistant', content }] })
  for (const slug of ['anthropic/claude-opus-5', 'anthropic/claude-sonnet-5']) {
    expect(slugs).toContain(slug)
    expect(refused(slug, [call])).toContain('expected thinking')
    expect(refused(slug, [{ type: 'reasoning', text: 'hm' }, call])).toContain('invalid signature')
    expect(refused(slug, [{ type: 'reasoning', text: 'hm', providerOptions: { anthropic: { signature: 'x' } } }, call])).toContain(
      'invalid',
    )
    expect(refused(slug, [call], {})).toBeNull()
  }
  expect([...slugs].some((slug) => slug.startsWith('google/gemini-3') && refused(slug, [call])?.includes('thought signature'))).toBe(true)
})

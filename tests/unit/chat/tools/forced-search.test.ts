// A forced search: the first request forces the tool. A server that rejects or ignores that still gets an answer.
import { afterEach, describe, expect, test } from 'vitest'
import { searchTool } from '../../../../worker/contract/models/tools.ts'
import { answerTo, searchTools } from '../../../support/model-run.ts'
import type { Behaviour, Peer } from '../../../support/peers/peer-server.ts'
import { connect, providerConnections } from '../../../support/peers/provider-connections.ts'

let peer: Peer
afterEach(() => peer?.stop())

const search: Behaviour = { kind: 'tools', calls: [{ name: 'search', input: '{"query":"tides"}' }] }
const answer: Behaviour = { kind: 'answer', words: ['Twice a day.'] }
const rejected: Behaviour = { kind: 'status', status: 400, message: 'Thinking may not be enabled when tool_choice forces tool use.' }

describe.each(providerConnections)('[G24] $provider', ({ provider, start, connections }) => {
  test.each<[string, readonly Behaviour[], readonly boolean[]]>([
    ['the first request forces the search, and later ones do not', [search, answer], [true, false]],
    ['a server that ignores it answers', [answer], [true]],
    ['a server that rejects it is asked again without', [rejected, search, answer], [true, false, false]],
  ])('%s', async (_name, script, forced) => {
    peer = await start(script)
    const { model } = connect(connections(peer.url), provider)
    const { outcome } = await answerTo('Why tides?', { model, tools: searchTools('Why tides?'), firstTool: searchTool })
    expect(outcome).toEqual({ ending: 'completed' })
    const choices = peer.requests.map(({ body }) => JSON.stringify(body.tool_choice ?? body.toolChoice ?? null))
    expect(choices.map((choice) => choice.includes('"search"'))).toEqual(forced)
  })

  test('another failure is not repeated without it', async () => {
    peer = await start([{ kind: 'status', status: 400, message: 'No.' }, answer])
    const { model } = connect(connections(peer.url), provider)
    const { outcome } = await answerTo('Why tides?', { model, tools: searchTools('Why tides?'), firstTool: searchTool })
    expect(outcome.ending).toBe('failed')
    expect(peer.requests).toHaveLength(1)
  })
})

// The tool loop over a real connection in both protocols: the requests, and that an answer results for any use of tools.
import { afterEach, describe, expect, test } from 'vitest'
import { connectModel } from '../../../../worker/chat/model/providers.ts'
import type { ToolTokens } from '../../../../worker/chat/model/tool-tokens.ts'
import { maxSearchesPerTurn, maxToolSteps } from '../../../../worker/contract/limits.ts'
import { isSearch, isToolPart } from '../../../../worker/contract/models/tools.ts'
import { textOf } from '../../../../worker/contract/threads/messages.ts'
import { sourcesOf } from '../../../../worker/contract/threads/sources.ts'
import { answerTo, searchTools } from '../../../support/model-run.ts'
import { startGatewayPeer } from '../../../support/peers/gateway.ts'
import { startOpenAICompatiblePeer } from '../../../support/peers/openai-compatible.ts'
import type { Behaviour, Peer, Script } from '../../../support/peers/peer-server.ts'

let peer: Peer | null = null
afterEach(async () => {
  await peer?.stop()
  peer = null
})

const protocols = ['gateway', 'compatible'] as const

async function ask(protocol: (typeof protocols)[number], script: Script, model = 'maker/model', toolTokens?: ToolTokens) {
  peer = await (protocol === 'gateway' ? startGatewayPeer : startOpenAICompatiblePeer)(script)
  const connected = connectModel(
    {
      standIns: null,
      modelSilenceMs: 60_000,
      gateway: protocol === 'gateway' ? { apiKey: 'key', url: peer.url } : null,
      compatible: protocol === 'compatible' ? { apiKey: 'key', url: peer.url } : null,
      openrouter: null,
      ollama: null,
      workersAi: null,
    },
    { provider: protocol, model, name: 'Model' },
  )
  if (!connected) throw new Error('the peer is a connection')
  const question = 'Why tides?'
  const answer = await answerTo(question, { model: connected.model, tools: searchTools(question), ...(toolTokens && { toolTokens }) })
  return { ...answer, bodies: peer.requests.map(({ body }) => body) }
}

const answer: Behaviour = { kind: 'answer', words: ['Twice ', 'a day [1].'] }
const search = (...queries: string[]): Behaviour => ({
  kind: 'tools',
  calls: queries.map((query) => ({ name: 'search', input: JSON.stringify({ query }) })),
})

describe.each(protocols)('%s', (protocol) => {
  test('the model calls, the tool returns marked data, the answer cites', async () => {
    const { outcome, parts, bodies } = await ask(protocol, (_request, index) => (index === 0 ? search('tides') : answer))
    expect(outcome).toEqual({ ending: 'completed' })
    expect(textOf({ parts })).toBe('Twice a day [1].')
    expect(sourcesOf(parts)[0]?.url).toBe('https://library.parley.example/tides')
    expect(JSON.stringify(bodies[0])).toContain('read_page')
    expect(JSON.stringify(bodies[1])).toContain('Untrusted data from a web search')
  })

  test('half surrogate pairs in a call reach neither the tool, nor the reader, nor the provider', async () => {
    const halves: Behaviour = {
      kind: 'tools',
      calls: [
        { name: 'search', input: '{"query": "tides \\ud83d \\uD83D\\uDE00 \\\\ud83d"}' },
        { name: 'look\ud83d', input: '{"\\ude00": ["\\ud83d' },
      ],
    }
    const { outcome, parts, bodies } = await ask(protocol, (_request, index) => (index === 0 ? halves : answer))
    expect(outcome).toEqual({ ending: 'completed' })
    const [searched, looked] = parts.filter(isToolPart)
    expect(searched?.input).toEqual({ query: 'tides \ufffd \u{1f600} \\ud83d' })
    expect(looked?.type).toBe('tool-look\ufffd')
    const strings: string[] = []
    JSON.stringify([parts, bodies], (key, value: unknown) => {
      strings.push(key, ...(typeof value === 'string' ? [value] : []))
      return value
    })
    expect(strings.filter((text) => !text.isWellFormed())).toEqual([])
    expect(JSON.stringify(bodies[1]).replaceAll('\\\\', '')).toContain('tides \ufffd')
  })

  test('a model that always calls tools is stopped: its last step has no tools, and its searches count', async () => {
    const { outcome, parts, bodies } = await ask(protocol, (_request, index) =>
      index < maxToolSteps - 1 ? search(...Array.from({ length: 6 }, (_, at) => `tides ${index} ${at}`)) : answer,
    )
    expect(outcome).toEqual({ ending: 'completed' })
    expect(textOf({ parts })).toBe('Twice a day [1].')
    expect(bodies).toHaveLength(maxToolSteps)
    expect(parts.filter((part) => isSearch(part) && part.state === 'output-available')).toHaveLength(maxSearchesPerTurn)
    expect(bodies.at(-1)).not.toHaveProperty('tools')
    expect(JSON.stringify(bodies.at(-1))).toContain('Untrusted data from a web search')
    // Every step offers the same tools, so that the provider's cache can be used.
    const offered = bodies.slice(0, -1).map(({ tools }) => JSON.stringify(tools))
    expect(new Set(offered).size).toBe(1)
    expect(offered[0]).toContain('"name":"search"')
  })

  test('a provider that requires tools for earlier calls gets them, with the instruction to use none', async () => {
    const again: Script = (_request, index) => (index < maxToolSteps - 1 ? search(`tides ${index}`) : answer)
    const { outcome, bodies } = await ask(protocol, again, 'anthropic/claude')
    expect(outcome).toEqual({ ending: 'completed' })
    const choices = bodies.map((body) => JSON.stringify(body.toolChoice ?? body.tool_choice ?? null))
    expect(choices.at(-1)).toContain('none')
    expect(choices.slice(0, -1).join()).not.toContain('none')
    expect(JSON.stringify(bodies.at(-1)?.tools)).toContain('read_page')
  })

  /** Searches, and then reads endlessly. */
  const goesOn = (index: number): Behaviour =>
    index === 0
      ? search('tides')
      : { kind: 'tools', calls: [{ name: 'read_page', input: '{"url":"https://library.parley.example/tides"}' }] }

  test.each(['maker/model', 'anthropic/claude'])('%s that always calls tools gets one more request with the findings', async (slug) => {
    const script: Script = (_request, index) => (index < maxToolSteps ? goesOn(index) : answer)
    const { outcome, parts, bodies } = await ask(protocol, script, slug)
    expect(outcome).toEqual({ ending: 'completed' })
    expect(textOf({ parts })).toBe('Twice a day [1].')
    expect(bodies).toHaveLength(maxToolSteps + 1)
    const last = JSON.stringify(bodies.at(-1))
    expect(bodies.at(-1)).not.toHaveProperty('tools')
    expect(last).toContain('Why tides?')
    expect(last.match(/Untrusted data from/g)).toHaveLength(
      parts.filter((part) => isToolPart(part) && part.state === 'output-available').length,
    )
    // The calls of its last step are not part of the answer.
    expect(parts.filter(isToolPart)).toHaveLength(maxToolSteps - 1)
  })

  test.each(['maker/model', 'anthropic/claude'])(
    '%s above the budget of the turn answers with what its first calls found',
    async (slug) => {
      const toolTokens = { budget: { inputTokens: 1_000, outputTokens: 8_000 }, fileTokens: 60_000 }
      const { outcome, parts, bodies } = await ask(
        protocol,
        (_request, index) => (index === 0 ? search('tides') : answer),
        slug,
        toolTokens,
      )
      expect([outcome, textOf({ parts })]).toEqual([{ ending: 'completed' }, 'Twice a day [1].'])
      expect(bodies).toHaveLength(2)
      expect(sourcesOf(parts)).not.toHaveLength(0)
      expect(JSON.stringify(bodies[1])).toContain('Untrusted data from a web search')
      const { toolChoice, tool_choice, tools } = bodies[1] ?? {}
      expect(JSON.stringify(toolChoice ?? tool_choice ?? null).includes('none') || tools === undefined).toBe(true)
    },
  )

  test('a provider that rejects a last step also gets one more request', async () => {
    const script: Script = (_request, index) =>
      index < maxToolSteps - 1 ? goesOn(index) : index === maxToolSteps - 1 ? { kind: 'status', status: 400 } : answer
    const { outcome, parts } = await ask(protocol, script)
    expect([outcome, textOf({ parts })]).toEqual([{ ending: 'completed' }, 'Twice a day [1].'])
  })

  test('if it calls tools again, there is no further request', async () => {
    const { outcome, bodies } = await ask(protocol, (_request, index) => goesOn(index))
    expect(outcome).toMatchObject({ ending: 'failed', failure: { code: 'model_nonsense' } })
    expect(bodies).toHaveLength(maxToolSteps + 1)
  })

  const unusable = { kind: 'tools', calls: [{ name: 'search', input: '{"query":"ti' }] } as const

  test('two steps of invalid calls are the last: then the model must answer', async () => {
    const { outcome, parts, bodies } = await ask(protocol, (_request, index) => (index < 2 ? unusable : answer))
    expect([outcome, textOf({ parts })]).toEqual([{ ending: 'completed' }, 'Twice a day [1].'])
    expect(bodies).toHaveLength(3)
    expect(bodies.at(-1)).not.toHaveProperty('tools')
  })

  test('a model that reaches its limit during its calls ends there, with the reason', async () => {
    const { outcome, bodies } = await ask(protocol, () => ({ ...unusable, ends: 'length' }))
    expect(outcome).toMatchObject({ ending: 'failed', failure: { code: 'model_length' } })
    expect(bodies).toHaveLength(2)
  })

  test('a search without results may be followed by another', async () => {
    const { parts, bodies } = await ask(protocol, (_request, index) =>
      index === 0 ? search('nothing at all') : index === 1 ? search('tides') : answer,
    )
    expect(parts.filter((part) => isSearch(part) && part.state === 'output-available')).toHaveLength(2)
    expect(JSON.stringify(bodies[1])).toContain('"name":"search"')
  })

  test('a call with truncated JSON, or of an unknown tool, is reported to the model and to the user', async () => {
    const calls = [
      { name: 'search', input: '{"query":"tid' },
      { name: 'delete_everything', input: '{}' },
      { name: 'search', input: '{"q":"wrong field"}' },
    ]
    const { outcome, parts } = await ask(protocol, (_request, index) => (index === 0 ? { kind: 'tools', calls } : answer))
    expect(outcome).toEqual({ ending: 'completed' })
    expect(textOf({ parts })).toBe('Twice a day [1].')
    expect(parts.filter(isToolPart).map(({ state, errorText }) => [state, errorText])).toEqual(
      calls.map(() => ['output-error', 'The tool could not be used this way.']),
    )
    expect(sourcesOf(parts)).toEqual([])
  })

  test('a connection that fails after a search ends the answer as failed, with what was found', async () => {
    const { outcome, parts } = await ask(protocol, (_request, index) => (index === 0 ? search('tides') : { kind: 'status', status: 500 }))
    expect(outcome).toMatchObject({ ending: 'failed', failure: { code: 'model_error' } })
    expect(sourcesOf(parts).length).toBeGreaterThan(0)
  })
})

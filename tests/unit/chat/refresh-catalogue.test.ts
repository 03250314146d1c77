// Models that come and go by themselves: what a server says it has, and what that makes of the rows.
import { afterEach, describe, expect, test } from 'vitest'
import { findCompatibleModels, findOllamaModels } from '../../../worker/chat/models/discovery.ts'
import type { ModelConnections } from '../../../worker/chat/models/language-model.ts'
import { catalogueChanges } from '../../../worker/chat/models/refresh-catalogue.ts'
import type { CatalogueRow } from '../../../worker/db/catalogue.ts'
import { type OllamaPeer, startOllamaPeer } from '../../support/peers/ollama.ts'
import { none } from '../../support/peers/vendor-ways.ts'

let peer: OllamaPeer | null = null
afterEach(async () => {
  await peer?.stop()
  peer = null
})

const withOllama: ModelConnections = { ...none, ollama: { url: 'http://127.0.0.1:1/v1' } }
const row = (id: string, provider: string, slug: string, unavailable: string | null = null): CatalogueRow => ({
  id,
  provider,
  slug,
  unavailable,
})
const nothingFound = { ollama: null, compatible: null }

describe('what a server has', () => {
  test('an Ollama says what each can do; what only embeds is left out, what is known is not asked again', async () => {
    peer = await startOllamaPeer({
      'llama3.2:latest': ['completion', 'tools'],
      'qwen3:8b': ['completion', 'tools', 'thinking'],
      'gemma3:4b': ['completion', 'vision'],
      'nomic-embed-text:latest': ['embedding'],
    })
    expect(await findOllamaModels({ url: peer.url }, new Set(['llama3.2']))).toEqual([
      { slug: 'llama3.2', capabilities: [] },
      { slug: 'qwen3:8b', capabilities: ['tools', 'reasoning'] },
      { slug: 'gemma3:4b', capabilities: ['vision'] },
    ])
    expect(peer.asked).not.toContain('llama3.2')
  })

  test('a server of the OpenAI protocol lists names; a list by hand is taken instead', async () => {
    peer = await startOllamaPeer({ 'my-model': ['completion'], 'text-embedding-3': [] })
    expect(await findCompatibleModels({ url: peer.url, apiKey: 'key' })).toEqual([{ slug: 'my-model', capabilities: [] }])
    expect(await findCompatibleModels({ url: peer.url, apiKey: null, models: ['mine'] })).toEqual([{ slug: 'mine', capabilities: [] }])
  })

  test('an entry that cannot be one of ours hides no other', async () => {
    peer = await startOllamaPeer({ [`hf.co/${'x'.repeat(100)}`]: ['completion'], 'a\u0000b': ['completion'], 'llama3.2': ['completion'] })
    const found = [{ slug: 'llama3.2', capabilities: [] }]
    expect(await findOllamaModels({ url: peer.url }, new Set(['llama3.2']))).toEqual(found)
    expect(await findCompatibleModels({ url: peer.url, apiKey: null })).toEqual(found)
    const byHand = { url: peer.url, apiKey: null, models: ['x'.repeat(100), 'llama3.2'] }
    expect(await findCompatibleModels(byHand)).toEqual(found)
  })

  test('one that is busy when it is asked is asked once more, and not again', async () => {
    peer = await startOllamaPeer({ 'llama3.2:latest': ['completion'] })
    peer.mute(1)
    expect(await findOllamaModels({ url: peer.url }, new Set(['llama3.2']), 250)).toEqual([{ slug: 'llama3.2', capabilities: [] }])
    peer.mute(2)
    expect(await findOllamaModels({ url: peer.url }, new Set(['llama3.2']), 250)).toBeNull()
  })

  test('one whose list is longer than any has said nothing', async () => {
    const names = Array.from({ length: 13_000 }, (_, index) => `${index}`.padStart(80, 'x'))
    peer = await startOllamaPeer(Object.fromEntries(names.map((name) => [name, ['completion']])))
    expect(await findCompatibleModels({ url: peer.url, apiKey: null })).toBeNull()
    expect(await findOllamaModels({ url: peer.url }, new Set(names))).toBeNull()
  })

  test('one that does not answer, or not so, has said nothing', async () => {
    expect(await findOllamaModels({ url: 'http://127.0.0.1:1/v1' }, new Set())).toBeNull()
    peer = await startOllamaPeer({})
    expect(await findCompatibleModels({ url: `${peer.url}/nowhere`, apiKey: null })).toBeNull()
  })
})

describe('what it makes of the rows', () => {
  test('in production, what is not connected says so, and no longer when it is', () => {
    const rows = [row('a', 'gateway', 'openai/a'), row('b', 'openrouter', 'b', 'model_not_connected'), row('w', 'workers-ai', '@cf/w')]
    const connections: ModelConnections = { ...none, openrouter: { apiKey: 'key', url: 'http://127.0.0.1:1' } }
    expect(catalogueChanges(rows, connections, nothingFound)).toEqual([
      { type: 'mark', id: 'a', unavailable: 'model_not_connected' },
      { type: 'mark', id: 'b', unavailable: null },
      { type: 'mark', id: 'w', unavailable: 'model_not_connected' },
    ])
  })

  test('in development the demo model answers for everything; what a migration retired stays retired', () => {
    const rows = [row('a', 'gateway', 'a', 'model_not_connected'), row('o', 'ollama', 'o'), row('r', 'gateway', 'r', 'model_retired')]
    expect(catalogueChanges(rows, { ...none, environment: 'development' }, nothingFound)).toEqual([
      { type: 'mark', id: 'a', unavailable: null },
    ])
  })

  test('what an Ollama has comes, what it has no more goes, and what a migration promised says that it is not there', () => {
    const rows = [row('ollama-llama', 'ollama', 'llama3.2'), row('ollama:old', 'ollama', 'old'), row('ollama:kept', 'ollama', 'kept')]
    const found = [
      { slug: 'kept', capabilities: [] },
      { slug: 'qwen3:8b', capabilities: ['tools' as const] },
    ]
    expect(catalogueChanges(rows, withOllama, { ollama: found, compatible: null })).toEqual([
      { type: 'mark', id: 'ollama-llama', unavailable: 'model_not_installed' },
      { type: 'remove', id: 'ollama:old' },
      {
        type: 'add',
        model: expect.objectContaining({
          id: 'ollama:qwen3:8b',
          name: 'qwen3:8b',
          slug: 'qwen3:8b',
          capabilities: ['tools'],
          icon: 'ollama',
        }),
      },
    ])
  })

  test('one that cannot be reached takes nothing away; its models say so until it is back', () => {
    const rows = [row('ollama:kept', 'ollama', 'kept')]
    expect(catalogueChanges(rows, withOllama, nothingFound)).toEqual([
      { type: 'mark', id: 'ollama:kept', unavailable: 'model_unreachable_now' },
    ])
    const back = { ollama: [{ slug: 'kept', capabilities: [] }], compatible: null }
    expect(catalogueChanges([row('ollama:kept', 'ollama', 'kept', 'model_unreachable_now')], withOllama, back)).toEqual([
      { type: 'mark', id: 'ollama:kept', unavailable: null },
    ])
  })

  test('what was found at a server that is configured no more goes', () => {
    const rows = [row('ollama:kept', 'ollama', 'kept'), row('compatible:mine', 'compatible', 'mine')]
    for (const environment of ['production', 'development'] as const)
      expect(catalogueChanges(rows, { ...none, environment }, nothingFound)).toEqual([
        { type: 'remove', id: 'ollama:kept' },
        { type: 'remove', id: 'compatible:mine' },
      ])
  })

  test('a server that stands in for the gateway offers of its models those that it lists', () => {
    const rows = [row('a', 'gateway', 'openai/a'), row('b', 'gateway', 'openai/b', 'model_not_connected')]
    const alone: ModelConnections = { ...none, compatible: { url: 'http://127.0.0.1:1/v1', apiKey: null } }
    const ofRows = (connections: ModelConnections, compatible: { slug: string; capabilities: [] }[] | null) =>
      catalogueChanges(rows, connections, { ollama: null, compatible }).filter(({ type }) => type === 'mark')
    expect(ofRows(alone, [{ slug: 'openai/b', capabilities: [] }])).toEqual([
      { type: 'mark', id: 'a', unavailable: 'model_not_installed' },
      { type: 'mark', id: 'b', unavailable: null },
    ])
    // It does not say: whoever asks finds out.
    expect(ofRows(alone, null)).toEqual([{ type: 'mark', id: 'b', unavailable: null }])
    const both = { ...alone, gateway: { apiKey: 'key', url: null } }
    expect(ofRows(both, null)).toEqual([{ type: 'mark', id: 'b', unavailable: null }])
  })

  test('asking twice changes nothing the second time', () => {
    expect(
      catalogueChanges([row('ollama:kept', 'ollama', 'kept')], withOllama, {
        ollama: [{ slug: 'kept', capabilities: [] }],
        compatible: null,
      }),
    ).toEqual([])
  })
})

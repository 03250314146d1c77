// Models that appear and disappear: the effect of a server's list on the rows.
import { describe, expect, test } from 'vitest'
import { germanModelDescriptions } from '../../../web/lib/german-model-descriptions.ts'
import type { FoundModel } from '../../../worker/chat/catalog/discovery.ts'
import { catalogueChanges } from '../../../worker/chat/catalog/refresh-catalogue.ts'
import { workersAiModels } from '../../../worker/chat/catalog/workers-ai-models.ts'
import { callSettings } from '../../../worker/chat/model/call-settings.ts'
import type { ModelConnections } from '../../../worker/chat/model/providers.ts'
import { standIns } from '../../../worker/dev/stand-ins.ts'
import { found, row } from '../../support/found-models.ts'
import { none } from '../../support/peers/provider-connections.ts'

const withOllama: ModelConnections = { ...none, ollama: { url: 'http://127.0.0.1:1/v1' } }
const withOpenRouter: ModelConnections = { ...none, openrouter: { apiKey: 'key', url: 'http://127.0.0.1:1/v1' } }
const nothingFound = { ollama: null, compatible: null, openrouter: null, 'workers-ai': null }

describe('the changed rows', () => {
  test('in production, models without a connection are marked, until it exists', () => {
    const rows = [row('a', 'gateway', 'openai/a'), row('b', 'openrouter', 'b', 'model_not_connected'), row('w', 'workers-ai', '@cf/w')]
    expect(catalogueChanges(rows, withOpenRouter, nothingFound)).toEqual([
      { type: 'mark', id: 'a', unavailable: 'model_not_connected' },
      { type: 'mark', id: 'b', unavailable: null },
      { type: 'mark', id: 'w', unavailable: 'model_not_connected' },
    ])
  })

  test('in development the demo model serves all models; models retired by a migration stay retired', () => {
    const rows = [row('a', 'gateway', 'a', 'model_not_connected'), row('o', 'ollama', 'o'), row('r', 'gateway', 'r', 'model_retired')]
    expect(catalogueChanges(rows, { ...none, standIns }, nothingFound)).toEqual([{ type: 'mark', id: 'a', unavailable: null }])
  })

  test('an Ollama’s models are added and removed with its list, and a migrated row without its model is marked', () => {
    const rows = [row('ollama-llama', 'ollama', 'llama3.2'), row('ollama:old', 'ollama', 'old'), row('ollama:kept', 'ollama', 'kept')]
    const installed = [found('kept'), found('qwen3:8b', { capabilities: ['tools'] })]
    expect(catalogueChanges(rows, withOllama, { ...nothingFound, ollama: installed })).toEqual([
      { type: 'mark', id: 'ollama-llama', unavailable: 'model_not_installed' },
      { type: 'remove', id: 'ollama:old' },
      {
        type: 'add',
        model: expect.objectContaining({
          id: 'ollama:qwen3:8b',
          slug: 'qwen3:8b',
          icon: 'ollama',
          listing: expect.objectContaining({ name: 'qwen3:8b', capabilities: ['tools'], access: 'public', credits: 1 }),
        }),
      },
    ])
  })

  test('updates the context window and the output limit of a row to those that the list names', () => {
    const rows = [row('ollama:kept', 'ollama', 'kept')]
    const installed = { ...nothingFound, ollama: [found('kept', { contextTokens: 8192, maxOutputTokens: 4096 })] }
    expect(catalogueChanges(rows, withOllama, installed)).toEqual([
      { type: 'update', id: 'ollama:kept', listing: expect.objectContaining({ contextTokens: 8192, maxOutputTokens: 4096 }) },
    ])
  })

  test('an unreachable server removes nothing; its models are marked until it returns', () => {
    const rows = [row('ollama:kept', 'ollama', 'kept')]
    expect(catalogueChanges(rows, withOllama, nothingFound)).toEqual([
      { type: 'mark', id: 'ollama:kept', unavailable: 'model_unreachable_now' },
    ])
    const back = { ...nothingFound, ollama: [found('kept')] }
    expect(catalogueChanges([row('ollama:kept', 'ollama', 'kept', 'model_unreachable_now')], withOllama, back)).toEqual([
      { type: 'mark', id: 'ollama:kept', unavailable: null },
    ])
  })

  test('models of a server that is no longer configured are removed', () => {
    const rows = [row('ollama:kept', 'ollama', 'kept'), row('compatible:mine', 'compatible', 'mine')]
    for (const stand of [null, standIns])
      expect(catalogueChanges(rows, { ...none, standIns: stand }, nothingFound)).toEqual([
        { type: 'remove', id: 'ollama:kept' },
        { type: 'remove', id: 'compatible:mine' },
      ])
  })

  test('a server configured instead of the gateway offers the gateway models that it lists', () => {
    const rows = [row('a', 'gateway', 'openai/a'), row('b', 'gateway', 'openai/b', 'model_not_connected')]
    const alone: ModelConnections = { ...none, compatible: { url: 'http://127.0.0.1:1/v1', apiKey: null } }
    const ofRows = (connections: ModelConnections, compatible: FoundModel[] | null) =>
      catalogueChanges(rows, connections, { ...nothingFound, compatible }).filter(({ type }) => type === 'mark')
    expect(ofRows(alone, [found('openai/b')])).toEqual([
      { type: 'mark', id: 'a', unavailable: 'model_not_installed' },
      { type: 'mark', id: 'b', unavailable: null },
    ])
    // Without a list, a request shows if the model exists.
    expect(ofRows(alone, null)).toEqual([{ type: 'mark', id: 'b', unavailable: null }])
    const both = { ...alone, gateway: { apiKey: 'key', url: null } }
    expect(ofRows(both, null)).toEqual([{ type: 'mark', id: 'b', unavailable: null }])
  })

  test('with the binding, the models of Workers AI are added with their prices, in the order of the list', () => {
    const bound: ModelConnections = { ...none, workersAi: {} as Ai }
    const changes = catalogueChanges([], bound, { ...nothingFound, 'workers-ai': workersAiModels })
    const added = changes.flatMap((change) => (change.type === 'add' ? [change.model] : []))
    expect(added.map(({ slug }) => slug)).toEqual(workersAiModels.map(({ slug }) => slug))
    expect(added.map(({ position }) => position)).toEqual(added.map((_model, index) => 1250 + index))
    expect(added[0]).toMatchObject({
      id: 'workers-ai:@cf/zai-org/glm-5.3-flash',
      icon: 'cloudflare',
      listing: {
        ...{
          name: 'GLM 5.3 Flash',
          capabilities: ['tools', 'reasoning', 'vision'],
          credits: 1,
          access: 'public',
          contextTokens: 1_048_576,
        },
        inputMicroDollarsPerMillionTokens: 150_000,
        cachedInputMicroDollarsPerMillionTokens: 30_000,
        outputMicroDollarsPerMillionTokens: 500_000,
      },
    })
    for (const { listing } of added) {
      expect(listing.description, listing.name).toMatch(/^[A-Z].{19,110}[^.]\.$/)
      // Without a limit, Workers AI ends an answer after 256 tokens.
      expect(listing.maxOutputTokens, listing.name).toBeGreaterThan(256)
    }
    const german = Object.keys(germanModelDescriptions).filter((id) => id.startsWith('workers-ai:'))
    expect(german.sort()).toEqual(added.map(({ id }) => id).sort())
    // The rule of prices: more than 2.50 dollars needs an account.
    expect(added.filter(({ listing }) => listing.access !== 'public').map(({ listing }) => listing.name)).toEqual([
      'Qwen 3.8 27B',
      'Kimi K2.6',
    ])
  })

  test('a migrated row of Workers AI keeps its name and gets current prices; a model that Cloudflare ended is marked or removed', () => {
    const bound: ModelConnections = { ...none, workersAi: {} as Ai }
    const kept = row('workers-scout', 'workers-ai', '@cf/scout')
    const rows = [kept, row('workers-old', 'workers-ai', '@cf/old'), row('workers-ai:@cf/gone', 'workers-ai', '@cf/gone')]
    const listed = [found('@cf/scout', { name: 'Scout', prices: { input: 1, output: 3_000_000 }, contextTokens: 131_000 })]
    expect(catalogueChanges(rows, bound, { ...nothingFound, 'workers-ai': listed })).toEqual([
      {
        type: 'update',
        id: 'workers-scout',
        listing: {
          ...kept.listing,
          access: 'account_required',
          inputMicroDollarsPerMillionTokens: 1,
          outputMicroDollarsPerMillionTokens: 3_000_000,
          contextTokens: 131_000,
        },
      },
      { type: 'mark', id: 'workers-old', unavailable: 'model_not_installed' },
      { type: 'remove', id: 'workers-ai:@cf/gone' },
    ])
    // Without the binding, and in development.
    for (const connections of [none, { ...none, standIns }])
      expect(catalogueChanges(rows.slice(2), connections, nothingFound)).toEqual([{ type: 'remove', id: 'workers-ai:@cf/gone' }])
  })

  test('a second refresh changes nothing', () => {
    expect(catalogueChanges([row('ollama:kept', 'ollama', 'kept')], withOllama, { ...nothingFound, ollama: [found('kept')] })).toEqual([])
  })

  test('changed properties of a model are updated; unreadable ones change nothing', () => {
    const known = row('ollama:gemma3', 'ollama', 'gemma3')
    const changes = (model: FoundModel) => catalogueChanges([known], withOllama, { ...nothingFound, ollama: [model] })
    expect(changes(found('gemma3', { capabilities: ['vision'] }))).toEqual([
      { type: 'update', id: 'ollama:gemma3', listing: { ...known.listing, capabilities: ['vision'] } },
    ])
    expect(changes({ slug: 'gemma3', details: null })).toEqual([])
  })

  test('a discovered model gets no temperature, and rows of earlier versions lose theirs', () => {
    const old = row('compatible:o4', 'compatible', 'o4')
    const compatible: ModelConnections = { ...none, compatible: { url: 'http://127.0.0.1:1/v1', apiKey: null } }
    const changed = { ...old, listing: { ...old.listing, temperature: 0.8 } }
    for (const models of [[found('o4')], null])
      expect(catalogueChanges([changed], compatible, { ...nothingFound, compatible: models })).toContainEqual({
        type: 'update',
        id: 'compatible:o4',
        listing: old.listing,
      })
    const [added] = catalogueChanges([], compatible, { ...nothingFound, compatible: [found('o4')] })
    if (added?.type !== 'add') throw new Error('a found model is added')
    expect(callSettings({ options: null, temperature: added.model.listing.temperature }, null).temperature).toBeNull()
  })

  test('OpenRouter’s models have prices; without a list nothing changes', () => {
    const opus = found('anthropic/opus', { name: 'Anthropic: Opus', prices: { input: 5_000_000, output: 25_000_000 } })
    const [added] = catalogueChanges([], withOpenRouter, { ...nothingFound, openrouter: [opus] })
    expect(added).toMatchObject({
      type: 'add',
      model: {
        id: 'openrouter:anthropic/opus',
        listing: { name: 'Anthropic: Opus', access: 'premium_required', credits: 8, outputMicroDollarsPerMillionTokens: 25_000_000 },
      },
    })
    const rows = [row('openrouter:a/b', 'openrouter', 'a/b'), row('other', 'openrouter', 'unlisted')]
    expect(catalogueChanges(rows, withOpenRouter, nothingFound)).toEqual([])
    expect(catalogueChanges(rows, withOpenRouter, { ...nothingFound, openrouter: [] })).toEqual([{ type: 'remove', id: 'openrouter:a/b' }])
    expect(catalogueChanges(rows, none, nothingFound)).toContainEqual({ type: 'remove', id: 'openrouter:a/b' })
  })

  test('a deployment that sets models for discovered servers keeps every connection to them, and removes it again', () => {
    const rows = [row('ollama-llama', 'ollama', 'llama3.2'), row('ollama:kept', 'ollama', 'kept')]
    const installed = { ...nothingFound, ollama: [found('llama3.2'), found('kept')] }
    const kept = catalogueChanges(rows, withOllama, installed, 'account_required')
    expect(kept.map((change) => change.type === 'update' && [change.id, change.listing.access])).toEqual([
      ['ollama-llama', 'account_required'],
      ['ollama:kept', 'account_required'],
    ])
    const after = rows.map((each) => ({ ...each, listing: { ...each.listing, access: 'account_required' as const } }))
    expect(catalogueChanges(after, withOllama, installed, 'account_required')).toEqual([])
    const freed = catalogueChanges(after, withOllama, installed)
    expect(freed.map((change) => change.type === 'update' && change.listing.access)).toEqual(['public', 'public'])
  })
})

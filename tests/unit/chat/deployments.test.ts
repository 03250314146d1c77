// Deployments that reach only part of the catalogue: every user, including a guest, starts with an available model.
import { describe, expect, test } from 'vitest'
import { pinnedModels } from '../../../web/features/chat/models/catalogue.ts'
import type { FoundModel } from '../../../worker/chat/catalog/discovery.ts'
import { catalogueChanges } from '../../../worker/chat/catalog/refresh-catalogue.ts'
import { workersAiModels } from '../../../worker/chat/catalog/workers-ai-models.ts'
import type { ModelConnections } from '../../../worker/chat/model/providers.ts'
import { modelRefusal } from '../../../worker/contract/access.ts'
import { chosenModel, defaultModelId, defaultPins } from '../../../worker/contract/models/model-choice.ts'
import { found, migratedRows } from '../../support/found-models.ts'
import { catalogueRows } from '../../support/migrated-db.ts'
import { none } from '../../support/peers/provider-connections.ts'

const url = 'http://127.0.0.1:1/v1'
const nothingFound = { ollama: null, compatible: null, openrouter: null, 'workers-ai': null }
const cheap = { prices: { input: 570_000, output: 2_300_000 } }

/** The catalogue of such a deployment, as rows of the contract. */
function catalogueOf(connections: ModelConnections, has: Partial<{ [Provider in keyof typeof nothingFound]: readonly FoundModel[] }>) {
  const positions = new Map(catalogueRows().map(({ id, position }) => [id, position]))
  const rows = new Map(
    migratedRows().map(({ id, slug, provider, unavailable, listing }) => [
      id,
      { id, model: slug, provider, unavailable, position: positions.get(id) ?? 0, access: listing.access, credits: listing.credits },
    ]),
  )
  for (const change of catalogueChanges(migratedRows(), connections, { ...nothingFound, ...has })) {
    if (change.type === 'add') {
      const { id, slug, provider, position, listing } = change.model
      rows.set(id, { id, model: slug, provider, unavailable: null, position, access: listing.access, credits: listing.credits })
    } else if (change.type === 'remove') rows.delete(change.id)
    else if (change.type === 'mark') {
      const marked = rows.get(change.id)
      if (marked) marked.unavailable = change.unavailable
    }
  }
  return [...rows.values()]
}

const gateway = { ...none, gateway: { apiKey: 'key', url: null } }
const ollama = { ...none, ollama: { url } }

describe('a new guest’s first model, and the start of the picker', () => {
  test.each<[string, ModelConnections, Parameters<typeof catalogueOf>[1], string, readonly string[]]>([
    ['the gateway', gateway, {}, defaultModelId, defaultPins],
    [
      'an Ollama that has what was promised',
      ollama,
      { ollama: [found('aya'), found('llama3.2')] },
      'ollama-llama',
      ['ollama-llama', 'ollama:aya'],
    ],
    ['an Ollama that has something else', ollama, { ollama: [found('qwen3:8b')] }, 'ollama:qwen3:8b', ['ollama:qwen3:8b']],
    [
      'a server of the OpenAI protocol',
      { ...none, compatible: { url, apiKey: null } },
      { compatible: [found('b'), found('a')] },
      'compatible:a',
      ['compatible:a', 'compatible:b'],
    ],
    [
      'OpenRouter, where the default has another id',
      { ...none, openrouter: { url, apiKey: 'key' } },
      {
        openrouter: [
          found('anthropic/claude-3-haiku', cheap),
          found('moonshotai/kimi-k2', cheap),
          found('anthropic/claude-opus-5', { prices: { input: 5_000_000, output: 25_000_000 } }),
        ],
      },
      'openrouter:moonshotai/kimi-k2',
      ['openrouter:moonshotai/kimi-k2', 'openrouter:anthropic/claude-3-haiku'],
    ],
    [
      'Workers AI',
      { ...none, workersAi: {} as Ai },
      { 'workers-ai': workersAiModels },
      'workers-ai:@cf/zai-org/glm-5.3-flash',
      [
        'workers-ai:@cf/zai-org/glm-5.3-flash',
        'workers-ai:@cf/google/gemma-4-26b-a4b-it',
        'workers-ai:@cf/deepseek-ai/deepseek-v4-flash-0731',
        'workers-ai:@cf/mistralai/mistral-small-3.1-24b-instruct',
        'workers-llama-4-scout',
        'workers-gpt-oss-120b',
      ],
    ],
  ])('with %s alone', (_name, connections, has, first, front) => {
    const catalogue = catalogueOf(connections, has)
    const chosen = chosenModel(catalogue, defaultModelId, 'guest')
    expect(chosen?.id).toBe(first)
    expect(chosen && modelRefusal('guest', chosen)).toBeNull()
    expect(pinnedModels(catalogue, defaultPins, 'guest').map(({ id }) => id)).toEqual(front)
    // The order of the stored rows has no effect.
    expect(chosenModel(catalogue.toReversed(), defaultModelId, 'guest')?.id).toBe(first)
  })

  test('with nothing connected it is the default, with the reason why it is unavailable', () => {
    const catalogue = catalogueOf(none, {})
    expect(chosenModel(catalogue, null, 'guest')).toMatchObject({ id: defaultModelId, unavailable: 'model_not_connected' })
    expect(pinnedModels(catalogue, null, 'guest').map(({ id }) => id)).toEqual(defaultPins)
  })
})

describe('a selected model', () => {
  const catalogue = catalogueOf(gateway, {}).map((model) =>
    model.id === 'glm-5.2' ? { ...model, unavailable: 'model_unreachable_now' } : model,
  )

  test('is kept if it is refused for another reason than availability, or may return soon', () => {
    for (const id of ['gpt-5.6-sol', 'glm-5.2']) expect(chosenModel(catalogue, id, 'guest')?.id).toBe(id)
    expect(pinnedModels(catalogue, ['gpt-5.6-sol', 'glm-5.2', 'grok-4.1-fast'], 'guest').map(({ id }) => id)).toEqual([
      'gpt-5.6-sol',
      'glm-5.2',
    ])
  })

  test('is replaced if it is deleted, retired, or no longer connected', () => {
    for (const id of ['ollama:gone', 'grok-4.1-fast', 'ollama-llama']) expect(chosenModel(catalogue, id, 'pro')?.id).toBe(defaultModelId)
  })

  test('is replaced by a similar one within the plan; without one, by a model that may return', () => {
    const pair = catalogue.filter(({ id }) => id === 'gpt-5.6-sol' || id === 'glm-5.2')
    expect(chosenModel(pair, 'gone', 'pro')?.id).toBe('gpt-5.6-sol')
    expect(chosenModel(pair.slice(-1), 'gone', 'guest')?.id).toBe('glm-5.2')
  })
})

// Model properties in lists of the OpenAI protocol, in the formats of servers, and the resulting credits.
import { describe, expect, test } from 'vitest'
import { openRouterMakers, pickOpenRouter } from '../../../worker/chat/catalog/discovery.ts'
import { isNamedLikeChatModel, type ListedModel, modelList } from '../../../worker/chat/catalog/listed-models.ts'
import { pricingFor } from '../../../worker/chat/catalog/refresh-catalogue.ts'

const listed = (entry: object): ListedModel | undefined => modelList.parse({ data: [{ id: 'a/b', ...entry }] })[0]

describe('the capabilities of a model', () => {
  test.each<[string, object, Partial<ListedModel>]>([
    ['OpenAI', { object: 'model', created: 5, owned_by: 'a' }, { capabilities: [], effort: null, prices: null, createdAtS: 5 }],
    [
      'OpenRouter',
      {
        name: 'Maker: Model',
        architecture: { input_modalities: ['text', 'image', 'file'], output_modalities: ['text'] },
        supported_parameters: ['tools', 'temperature', 'reasoning', 'reasoning_effort'],
        pricing: { prompt: '0.00000057', completion: '0.0000023' },
      },
      {
        name: 'Maker: Model',
        capabilities: ['tools', 'reasoning', 'vision', 'documents'],
        effort: ['low', 'medium', 'high'],
        prices: { input: 570_000, output: 2_300_000 },
      },
    ],
    [
      'a provider of OpenRouter',
      { input_modalities: ['text', 'image'], supported_features: ['tools'] },
      { capabilities: ['tools', 'vision'] },
    ],
    ['Mistral', { capabilities: { completion_chat: true, function_calling: true, vision: false } }, { capabilities: ['tools'] }],
    ['LM Studio', { type: 'vlm', capabilities: ['tool_use'] }, { capabilities: ['tools', 'vision'] }],
    ['Together', { type: 'chat', pricing: { input: 1, output: 2 } }, { capabilities: [], prices: null }],
    ['vLLM', { root: 'a/b', parent: null, max_model_len: 4096, permission: [{}] }, { capabilities: [] }],
    [
      'a server that uses these fields for other values',
      { capabilities: 7, type: {}, pricing: 'free', name: 5 },
      { name: null, capabilities: [] },
    ],
    ['a router, whose price depends', { pricing: { prompt: '-1', completion: '-1' } }, { prices: null }],
  ])('by %s', (_name, entry, expected) => expect(listed(entry)).toMatchObject(expected))

  test('names are trimmed', () => {
    expect(listed({ id: ' kimi-k2\n', name: ' Kimi K2 ' })).toMatchObject({ slug: 'kimi-k2', name: 'Kimi K2' })
  })
})

describe('the context window', () => {
  test.each<[string, object, number | null]>([
    ['OpenRouter', { context_length: 262_144 }, 262_144],
    ['Groq', { context_window: 131_072 }, 131_072],
    ['vLLM', { max_model_len: 4096 }, 4096],
    ['Mistral', { max_context_length: 32_768 }, 32_768],
    ['a server that does not report it', {}, null],
  ])('is read from the list of %s', (_server, entry, contextTokens) => expect(listed(entry)).toMatchObject({ contextTokens }))

  test.each([0, -1, 1.5, '8192', null, 1e12])('is unknown for %j, and the model is still listed', (context_length) => {
    expect(listed({ context_length })).toMatchObject({ slug: 'a/b', contextTokens: null })
  })
})

describe('the output limit', () => {
  test.each<[string, object, number | null]>([
    ['OpenRouter', { top_provider: { context_length: 262_144, max_completion_tokens: 65_536, is_moderated: false } }, 65_536],
    ['OpenRouter without a limit', { top_provider: { context_length: 262_144, max_completion_tokens: null } }, null],
    ['Groq', { context_window: 131_072, max_completion_tokens: 32_768 }, 32_768],
    ['a provider of OpenRouter', { context_length: 262_144, max_output_length: 65_536 }, 65_536],
    ['a server that does not report it', { context_length: 8192 }, null],
  ])('is read from the list of %s', (_server, entry, maxOutputTokens) => expect(listed(entry)).toMatchObject({ maxOutputTokens }))

  test.each([0, -1, '8192', {}])('is unknown for %j, and the model is still listed', (max_completion_tokens) => {
    expect(listed({ max_completion_tokens, top_provider: { max_completion_tokens } })).toMatchObject({ slug: 'a/b', maxOutputTokens: null })
  })
})

describe('models that are not for chat', () => {
  test.each([
    ...['text-embedding-3-large', 'nomic-embed-text:v1.5', 'embeddinggemma', 'BAAI/bge-m3', 'intfloat/e5-mistral', 'qwen3-reranker'],
    ...['whisper-1', 'tts-1-hd', 'gpt-4o-mini-tts', 'gpt-4o-transcribe', 'gpt-4o-audio-preview', 'gpt-realtime', 'gpt-4o-realtime-preview'],
    ...['dall-e-3', 'gpt-image-1', 'chatgpt-image-latest', 'imagen-4', 'sora-2', 'sora-2-pro', 'veo-3', 'flux.1-dev'],
    ...['text-davinci-003', 'davinci-002', 'babbage-002', 'gpt-3.5-turbo-instruct', 'omni-moderation-latest', 'mistral-ocr-latest'],
  ])('%s', (slug) => expect(isNamedLikeChatModel(slug)).toBe(false))

  test.each([
    'gpt-5.6-sol',
    'llama3.2',
    'kimi-k2',
    'deepseek-r1:8b',
    'mistral-small',
    'qwen3-vl:8b',
    'gemma3',
    'influx-7b',
    'phi-4-mini-instruct',
  ])('%s is one', (slug) => expect(isNamedLikeChatModel(slug)).toBe(true))

  test.each([
    { type: 'embeddings' },
    { type: 'Image' },
    { architecture: { output_modalities: ['image'] } },
    { output_modalities: ['text', 'audio'] },
    { capabilities: { completion_chat: false, text_embeddings: true } },
  ])('one marked as such: %j', (entry) => expect(listed(entry)).toBeUndefined())
})

test('a price determines credits and plan; a deployment may require more, but not less', () => {
  const terms = (dollars: number) => pricingFor({ input: 1, output: dollars * 1_000_000 }, 'public')
  expect([0, 2.3, 5, 10, 15, 25, 180].map(terms)).toEqual([
    { credits: 1, access: 'public' },
    { credits: 1, access: 'public' },
    { credits: 1, access: 'account_required' },
    { credits: 2, access: 'account_required' },
    { credits: 5, access: 'premium_required' },
    { credits: 8, access: 'premium_required' },
    { credits: 20, access: 'premium_required' },
  ])
  expect(pricingFor(null, 'public')).toEqual({ credits: 1, access: 'public' })
  expect(pricingFor(null, 'premium_required')).toEqual({ credits: 1, access: 'premium_required' })
  expect(pricingFor({ input: 0, output: 0 }, 'account_required').access).toBe('account_required')
  expect(pricingFor({ input: 0, output: 25_000_000 }, 'account_required').access).toBe('premium_required')
})

describe('OpenRouter’s hundreds of models', () => {
  const model = (slug: string, createdAtS: number, prices: ListedModel['prices'] = { input: 1, output: 1 }): ListedModel => ({
    ...{ slug, createdAtS, prices, name: null, capabilities: [], effort: null, contextTokens: null, maxOutputTokens: null },
  })
  const many = (maker: string, count: number) => Array.from({ length: count }, (_, index) => model(`${maker}/m${index}`, index))
  const picked = (all: readonly ListedModel[], elsewhere: readonly string[] = [], known: readonly string[] = []) =>
    pickOpenRouter(all, { elsewhere: new Set(elsewhere), known: new Set(known) }).map(({ slug }) => slug)

  test('includes the newest of each known maker, and catalogue models of another connection', () => {
    const all = [...many('openai', 20), ...many('nobody', 20), model('openai/m99:free', 99), model('openai/auto', 98, null)]
    expect(picked(all, ['openai/m1'])).toEqual(['openai/m19', 'openai/m18', 'openai/m17', 'openai/m16', 'openai/m15', 'openai/m1'])
  })

  test('listed models stay while newer ones are added, up to the limit', () => {
    const before = picked(many('qwen', 5))
    const after = picked(many('qwen', 9), [], before)
    expect(after.slice(0, 5)).toEqual(['qwen/m8', 'qwen/m7', 'qwen/m6', 'qwen/m5', 'qwen/m4'])
    expect(new Set(after)).toEqual(new Set([...before, ...after.slice(0, 5)]))
    expect(picked(many('qwen', 9), [], after)).toEqual(after)
  })

  test('are limited to a hundred, including the newest', () => {
    const all = openRouterMakers.flatMap((maker) => many(maker, 40))
    const crowd = picked(
      all,
      [],
      all.map(({ slug }) => slug),
    )
    expect(crowd).toHaveLength(100)
    for (const maker of openRouterMakers) expect(crowd).toContain(`${maker}/m39`)
  })
})

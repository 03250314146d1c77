// The catalogue inserted by migrations: complete, ordered, and usable for a guest's first message.
import { expect, test } from 'vitest'
import { modelRefusal } from '../../../worker/contract/access.ts'
import { creditsPerDay } from '../../../worker/contract/limits.ts'
import { defaultModelId, defaultPins } from '../../../worker/contract/models/model-choice.ts'
import type { RowOf } from '../../../worker/contract/schema.ts'
import { orm } from '../../../worker/db/shards.ts'
import { model } from '../../../worker/db/tables/catalogue.ts'
import { env } from '../bindings.ts'

const models: Promise<RowOf<'model'>[]> = orm(env.DB).select().from(model).orderBy(model.position)

test('57 models by the gateway, one by OpenRouter, one by Ollama, three by Workers AI', async () => {
  const byProvider = Map.groupBy(await models, (row) => row.provider)
  expect([...byProvider].map(([provider, rows]) => [provider, rows.length])).toEqual([
    ['gateway', 57],
    ['openrouter', 1],
    ['ollama', 1],
    ['workers-ai', 3],
  ])
})

test('all thirteen makers exist, each contiguous in the order', async () => {
  const icons = (await models).map((row) => row.icon)
  const runs = icons.filter((icon, index) => icon !== icons[index - 1])
  expect(runs).toEqual([
    'openai',
    'anthropic',
    'gemini',
    'xai',
    'deepseek',
    'meta',
    'mistral',
    'qwen',
    'moonshot',
    'zai',
    'openrouter',
    'ollama',
    'cloudflare',
  ])
})

test('every row has all fields of the picker, once', async () => {
  const rows = await models
  for (const key of ['id', 'name', 'model', 'description', 'position'] as const)
    expect(new Set(rows.map((row) => row[key])).size, key).toBe(62)
  for (const row of rows) {
    expect(row.description, row.id).toMatch(/^[A-Z].{19,110}[^.]\.$/)
    expect(row.access, row.id).toMatch(/^(public|account_required|premium_required)$/)
    expect(row.credits, row.id).toBeGreaterThan(0)
    expect(row.effort ?? [], row.id).toBeInstanceOf(Array)
    expect(row.capabilities ?? [], row.id).toBeInstanceOf(Array)
  }
})

test('fields of the catalogue are read unchanged', async () => {
  expect((await models).find((row) => row.id === 'gpt-5.6-luna')).toMatchObject({
    name: 'GPT-5.6 Luna',
    model: 'openai/gpt-5.6-luna',
    provider: 'gateway',
    capabilities: ['tools', 'reasoning', 'vision', 'documents'],
    effort: ['none', 'low', 'medium', 'high', 'xhigh'],
    icon: 'openai',
    credits: 2,
    access: 'account_required',
    inputMicroDollarsPerMillionTokens: 1_000_000,
    outputMicroDollarsPerMillionTokens: 6_000_000,
  })
})

test('xAI’s slugs have the prefix of the gateway', async () => {
  const slugs = (await models).filter((row) => row.icon === 'xai').map((row) => row.model)
  expect(slugs).toHaveLength(4)
  for (const slug of slugs) expect(slug).toMatch(/^spacexai\//)
})

test('a guest may use Grok 4 Fast, and a free account also Grok 4.3, within the daily credits', async () => {
  const groksOf = async (plan: 'guest' | 'free') => (await models).filter((row) => row.icon === 'xai' && modelRefusal(plan, row) === null)
  expect((await groksOf('guest')).map(({ name }) => name)).toEqual(['Grok 4 Fast'])
  const groks = await groksOf('free')
  expect(groks.map(({ id }) => id)).toEqual(['grok-4.3', 'grok-4-fast'])
  expect(groks.every(({ credits }) => Number(credits) <= creditsPerDay.free)).toBe(true)
})

test('the default model exists and is available to guests; every default pin exists', async () => {
  const rows = await models
  const fallback = rows.find((row) => row.id === defaultModelId)
  expect(fallback && modelRefusal('guest', fallback)).toBeNull()
  for (const pin of defaultPins) expect(rows.map((row) => row.id)).toContain(pin)
})

// The catalogue compared with the providers' published data: every selectable row is known to its provider and accepts its settings.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callSettings } from '../../../worker/chat/model/call-settings.ts'
import { connectModel, type ModelConnections } from '../../../worker/chat/model/providers.ts'
import { modelRefusal } from '../../../worker/contract/access.ts'
import { effortFor } from '../../../worker/contract/models/effort.ts'
import { fallbacksFor } from '../../../worker/contract/models/fallbacks.ts'
import { smallModels } from '../../../worker/contract/models/small-models.ts'
import type { RowOf } from '../../../worker/contract/schema.ts'
import { type MessagePart, textOf } from '../../../worker/contract/threads/messages.ts'
import { catalogueRows } from '../../support/migrated-db.ts'
import { answerTo } from '../../support/model-run.ts'
import { startGatewayPeer } from '../../support/peers/gateway.ts'
import { startOpenAICompatiblePeer } from '../../support/peers/openai-compatible.ts'
import type { Peer } from '../../support/peers/peer-server.ts'
import { isKnownModel } from '../../support/peers/provider-rules.ts'
import { workersAiBinding } from '../../support/peers/workers-ai.ts'

const rows = catalogueRows()
const enabled = rows.filter(({ unavailable }) => unavailable === null)
const byGateway = enabled.filter(({ provider }) => provider === 'gateway')

/** The union of names in the types of the gateway's package, which `ai` brings. */
function gatewayModelIds(): ReadonlySet<string> {
  const types = createRequire(createRequire(import.meta.url).resolve('ai'))
    .resolve('@ai-sdk/gateway')
    .replace(/\.js$/, '.d.ts')
  const union = /type GatewayModelId = ([^;]*);/.exec(readFileSync(types, 'utf8'))?.[1] ?? ''
  return new Set(Array.from(union.matchAll(/'([^']+)'/g), ([, id]) => id ?? ''))
}

test('every selectable gateway row is in the list of the gateway’s package, and no other row is', () => {
  const known = gatewayModelIds()
  expect(known.size).toBeGreaterThan(100)
  expect(byGateway.filter(({ model }) => !known.has(model)).map(({ id }) => id)).toEqual([])
  const retired = rows.filter(({ unavailable }) => unavailable === 'model_retired')
  expect(retired.filter(({ model }) => known.has(model)).map(({ id }) => id)).toEqual([])
  expect(retired).toHaveLength(6)
})

test('every selectable gateway row has provider rules, and so has the model for titles', () => {
  expect(byGateway.filter(({ model }) => !isKnownModel(model)).map(({ id }) => id)).toEqual([])
  expect(isKnownModel(smallModels.gateway.model)).toBe(true)
  expect(gatewayModelIds()).toContain(smallModels.gateway.model)
})

test('every maker has a selectable model', () => {
  const makers = new Set(enabled.map(({ icon }) => icon))
  for (const maker of ['openai', 'anthropic', 'gemini', 'xai', 'deepseek', 'meta', 'mistral', 'qwen', 'moonshot', 'zai'])
    expect(
      byGateway.some(({ icon }) => icon === maker),
      maker,
    ).toBe(true)
  for (const maker of ['openrouter', 'ollama', 'cloudflare']) expect(makers).toContain(maker)
})

test('free accounts can use a current model of every provider of the gateway', () => {
  const open = byGateway.filter((row) => modelRefusal('free', row) === null)
  const providers = (list: readonly RowOf<'model'>[]) => [...new Set(list.map(({ icon }) => icon))].sort()
  expect(providers(open)).toEqual(providers(byGateway))
})

test('a row with a setting unknown to this version is refused', () => {
  for (const plan of ['guest', 'free', 'pro'] as const)
    expect(modelRefusal(plan, { access: 'employees_only' as never })).toEqual({
      code: 'model_unavailable',
    })
})

const find = (id: string) => rows.find((row) => row.id === id)
const fallbacksOf = (row: RowOf<'model'>) => fallbacksFor('pro', row, 50_000, find)

/** Rows whose weights are open, so that the same hosts serve them. */
const open = new Set(['kimi-k2', 'deepseek-v3.1', 'glm-5.2', 'gpt-oss-120b', 'glm-4.5-air', 'deepseek-v4-pro'])

test('every fallback is of the same maker or open like the row, and may answer for every plan that uses the row', () => {
  const withFallbacks = enabled.filter(({ fallbackIds }) => fallbackIds)
  expect(withFallbacks.length).toBeGreaterThan(10)
  for (const row of withFallbacks) {
    const named = (row.fallbackIds ?? []).map(find)
    const isAllowed = (fallback: RowOf<'model'> | undefined) =>
      fallback?.icon === row.icon || (open.has(row.id) && open.has(fallback?.id ?? ''))
    expect(named.every(isAllowed), row.id).toBe(true)
    for (const plan of ['guest', 'free', 'pro'] as const)
      if (modelRefusal(plan, row) === null)
        expect(
          fallbacksFor(plan, row, 50_000, find).map(({ model }) => model),
          `${row.id} for ${plan}`,
        ).toEqual(named.map((fallback) => fallback?.model))
  }
})

let gateway: Peer
let server: Peer
const words = ['Yes, ', 'it is.']
const workersAi = workersAiBinding(words)
beforeAll(async () => {
  gateway = await startGatewayPeer([{ kind: 'answer', words, reasoning: ['Is ', 'it? '] }])
  server = await startOpenAICompatiblePeer([{ kind: 'answer', words }])
})
afterAll(() => Promise.all([gateway.stop(), server.stop()]))

const connections = (): ModelConnections => ({
  standIns: null,
  modelSilenceMs: 60_000,
  gateway: { apiKey: 'key', url: gateway.url },
  openrouter: { apiKey: 'key', url: server.url },
  ollama: { url: server.url },
  compatible: null,
  workersAi: workersAi.binding,
})

async function ask(row: RowOf<'model'>, effort: string | null): Promise<readonly MessagePart[]> {
  const connected = connectModel(connections(), row)
  if (!connected) throw new Error(`${row.id} is not connected`)
  const { outcome, parts } = await answerTo('Is it?', {
    model: connected.model,
    ...callSettings(row, effort, fallbacksOf(row)),
    tools: null,
  })
  expect(outcome, row.id).toEqual({ ending: 'completed' })
  return parts
}

describe('every selectable row accepts its settings', () => {
  test.each(enabled.map((row) => [row.id, row] as const))('%s', async (_id, row) => {
    const efforts = row.effort?.length ? row.effort : [null]
    for (const requested of efforts) {
      const effort = requested === null ? null : effortFor(row, requested)
      expect(effort).toBe(requested)
      const parts = await ask(row, effort)
      expect(textOf({ parts })).toBe('Yes, it is.')
      // Users of a reasoning model see its reasoning.
      if (row.provider === 'gateway' && row.capabilities?.includes('reasoning') && effort !== 'none')
        expect(parts).toContainEqual(expect.objectContaining({ type: 'reasoning', text: 'Is it? ' }))
    }
    if (row.provider === 'workers-ai') expect(workersAi.asked.at(-1)).toMatchObject({ name: row.model, inputs: { stream: true } })
    else {
      const request = (row.provider === 'gateway' ? gateway : server).requests.at(-1)
      expect(request?.headers['ai-language-model-id'] ?? request?.body.model).toBe(row.model)
      expect(request?.body.temperature ?? null).toBe(row.temperature)
      if (row.options) expect(request?.body.providerOptions).toMatchObject(row.options)
    }
    if (!row.effort?.includes('none')) return
    await ask(row, 'none')
    expect(gateway.requests.at(-1)?.body).toMatchObject({ reasoning: 'none' })
    const models = fallbacksOf(row).map(({ model }) => model)
    expect(gateway.requests.at(-1)?.body.providerOptions).toEqual(models.length > 0 ? { gateway: { models } } : undefined)
  })

  test('a model with selectable effort gets no temperature, and every level has a name', () => {
    for (const row of enabled) {
      expect(row.temperature === null || !row.effort?.length, row.id).toBe(true)
      expect(effortFor(row, 'nonsense') === null, row.id).toBe(!row.effort?.length)
    }
  })
})

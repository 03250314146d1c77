// Which models may answer in place of a model.
import { expect, test } from 'vitest'
import { fallbacksFor } from '../../../worker/contract/models/fallbacks.ts'
import type { RowOf } from '../../../worker/contract/schema.ts'

const chosen = {
  id: 'chosen',
  name: 'Chosen',
  model: 'maker/chosen',
  provider: 'gateway',
  capabilities: ['tools', 'vision'],
  credits: 2,
  access: 'account_required',
  inputMicroDollarsPerMillionTokens: 1_000_000,
  outputMicroDollarsPerMillionTokens: 5_000_000,
  contextTokens: 200_000,
  maxOutputTokens: 32_000,
  fallbackIds: ['other'],
} as unknown as RowOf<'model'>

const other: RowOf<'model'> = { ...chosen, id: 'other', name: 'Other', model: 'maker/other', fallbackIds: null }
const replaced = (by: Partial<RowOf<'model'>>, model = chosen) =>
  fallbacksFor('free', model, 30_000, () => ({ ...other, ...by })).length === 1

test('a model that is like the chosen one may answer', () => {
  expect(fallbacksFor('free', chosen, 30_000, (id) => (id === 'other' ? other : undefined))).toEqual([other])
  expect(replaced({ capabilities: ['tools', 'reasoning', 'vision'], inputMicroDollarsPerMillionTokens: 1 })).toBe(true)
})

test.each<[string, Partial<RowOf<'model'>>]>([
  ['another plan’s', { access: 'premium_required' }],
  ['retired', { unavailable: 'model_retired' }],
  ['the same', { model: 'maker/chosen' }],
  ['another provider’s', { provider: 'openrouter' }],
  ['of another price in credits', { credits: 1 }],
  ['dearer in input', { inputMicroDollarsPerMillionTokens: 1_000_001 }],
  ['dearer in output', { outputMicroDollarsPerMillionTokens: 5_000_001 }],
  ['without a price', { inputMicroDollarsPerMillionTokens: null, outputMicroDollarsPerMillionTokens: null }],
  ['missing a capability', { capabilities: ['tools'] }],
  ['too small for the input', { contextTokens: 30_000 }],
  ['too small for the output', { maxOutputTokens: 4_000 }],
])('a model that is %s may not', (_why, by) => expect(replaced(by)).toBe(false))

test('a model that is missing, and a third one, are left out', () => {
  const model = { ...chosen, fallbackIds: ['gone', 'a', 'b', 'c'] }
  const found = fallbacksFor('free', model, 30_000, (id) => (id === 'gone' ? undefined : { ...other, model: `maker/${id}` }))
  expect(found.map((fallback) => fallback.model)).toEqual(['maker/a', 'maker/b'])
})

test('a model of another provider has none', () => expect(replaced({}, { ...chosen, provider: 'openrouter' })).toBe(false))

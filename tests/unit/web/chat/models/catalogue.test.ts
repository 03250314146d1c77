import { describe, expect, test } from 'vitest'
import { modelProblem, modelsNamed, modelsShown, pinnedFilter } from '../../../../../web/features/chat/models/catalogue.ts'
import { makersOf } from '../../../../../web/lib/maker-order.ts'
import { creditsPerDay } from '../../../../../worker/contract/limits.ts'
import { model, usage } from '../../build.ts'

const models = [
  model({ id: 'gpt', name: 'GPT 5 Mini', icon: 'openai', description: 'Quick and light' }),
  model({ id: 'kimi', name: 'Kimi K2', icon: 'moonshot', description: 'Lively, writes well' }),
  model({ id: 'opus', name: 'Claude Opus', icon: 'anthropic', description: 'Slow and deep' }),
  model({ id: 'odd', name: 'Odd One', icon: 'unheard-of', description: 'Quick' }),
  model({ id: 'gpt2', name: 'GPT 5', icon: 'openai', description: 'Large' }),
]
const shown = (changes: Partial<Parameters<typeof modelsShown>[1]>) =>
  modelsShown(models, {
    search: '',
    filter: pinnedFilter,
    pins: ['kimi', 'gone', 'gpt'],
    selectedId: undefined,
    plan: 'guest',
    isRefused: () => false,
    ...changes,
  }).map(({ id }) => id)

test('the rail has each maker once, known ones first', () => {
  expect(makersOf(models)).toEqual(['anthropic', 'openai', 'moonshot', 'unheard-of'])
})

test('the rail has makers without available models last', () => {
  const here = models.map((each) => (each.icon === 'openai' ? { ...each, unavailable: 'model_not_connected' } : each))
  expect(makersOf(here)).toEqual(['anthropic', 'moonshot', 'unheard-of', 'openai'])
})

describe('the list', () => {
  test('of pins keeps their order and skips deleted models', () => expect(shown({})).toEqual(['kimi', 'gpt']))
  test('of pins starts with the selected model, pinned or not', () => {
    expect(shown({ selectedId: 'opus' })).toEqual(['opus', 'kimi', 'gpt'])
    expect(shown({ selectedId: 'gpt' })).toEqual(['gpt', 'kimi'])
  })
  test('of pins that are all unavailable shows available models', () => {
    const here = models.map((each) => ({
      ...each,
      unavailable: each.id === 'odd' ? null : 'model_not_connected',
    }))
    const looking = { search: '', filter: pinnedFilter, selectedId: undefined, plan: 'guest', isRefused: () => false } as const
    expect(modelsShown(here, { ...looking, pins: ['kimi', 'gpt'] }).map(({ id }) => id)).toEqual(['odd'])
    expect(modelsShown(here, { ...looking, pins: ['kimi', 'odd'] }).map(({ id }) => id)).toEqual(['odd'])
  })
  test('of a maker', () => expect(shown({ filter: 'openai' })).toEqual(['gpt', 'gpt2']))
  test('of a search covers all models', () => expect(shown({ search: 'quick' })).toEqual(['gpt', 'odd']))
  test('of a search requires every word, in name or description', () => expect(shown({ search: ' LIGHT gpt ' })).toEqual(['gpt']))
  test('of a search without a match is empty', () => expect(shown({ search: 'nothing like it' })).toEqual([]))
})

describe('a search result', () => {
  const k2 = [
    model({ id: 'thinking', name: 'Kimi K2 Thinking', access: 'premium_required' }),
    model({ id: 'old', name: 'Kimi K2 0905', unavailable: 'model_retired' }),
    model({ id: 'like', name: 'Odd One', description: 'Much like Kimi K2' }),
    model({ id: 'turbo', name: 'Kimi K2 Turbo' }),
    model({ id: 'kimi', name: 'Kimi K2' }),
  ]
  const listed = (search: string, all = k2) =>
    modelsShown(all, {
      search,
      filter: pinnedFilter,
      pins: [],
      selectedId: 'turbo',
      plan: 'guest',
      isRefused: (each) => modelProblem(each, { plan: 'guest', usage: undefined }, 0) !== null,
    }).map(({ id }) => id)

  test('starts with the exact name, then available models, then refused ones; matches in the description follow, and retired models are last', () => {
    expect(listed('Kimi  k2')).toEqual(['kimi', 'turbo', 'thinking', 'like', 'old'])
    expect(listed('k2')).toEqual(['turbo', 'kimi', 'thinking', 'like', 'old'])
  })
  test('starts with a refused model if its exact name is typed', () => expect(listed('kimi k2 thinking')).toEqual(['thinking']))
})

describe('a model that is named after @', () => {
  const catalogue = [
    model({ id: 'deepseek', name: 'DeepSeek V4 Flash', icon: 'deepseek', description: 'In a class of its own for code and claims' }),
    model({ id: 'opus5', name: 'Claude Opus 5', icon: 'anthropic', access: 'premium_required' }),
    model({ id: 'opus48', name: 'Claude Opus 4.8', icon: 'anthropic', access: 'premium_required' }),
    model({ id: 'haiku', name: 'Claude 4.5 Haiku', icon: 'anthropic' }),
    model({ id: 'sonnet', name: 'Claude Sonnet 5', icon: 'anthropic', unavailable: 'model_retired' }),
    model({ id: 'gpt56', name: 'GPT-5.6 Sol', icon: 'openai' }),
    model({ id: 'gpt4o', name: 'GPT 4o Mini', icon: 'openai', description: 'Like Claude' }),
    model({ id: 'qwen', name: 'Qwen3 Max', icon: 'qwen' }),
  ]
  const isRefused = ({ access }: (typeof catalogue)[number]) => access === 'premium_required'
  test.each([
    ['cla', ['haiku', 'opus5', 'opus48']],
    ['opus 5', ['opus5']],
    ['OPUS  4', ['opus48']],
    ['opus ', ['opus5', 'opus48']],
    ['4.5 haiku', ['haiku']],
    ['anthropic', ['haiku', 'opus5', 'opus48']],
    ['openai mini', ['gpt4o']],
    ['gpt5', ['gpt56']],
    ['gpt-5.6', ['gpt56']],
    ['gpt 5.6 s', ['gpt56']],
    ['qwen 3', ['qwen']],
    ['qwen 3 max', ['qwen']],
    ['qwen3max', ['qwen']],
    ['seek', []],
    ['opus 5 please', []],
    ['in a class', []],
  ])('%j', (name, ids) => expect(modelsNamed(catalogue, name, isRefused).map(({ id }) => id)).toEqual(ids))
})

test('a search covers the names of makers', () => expect(shown({ search: 'moonshot' })).toEqual(['kimi']))

test('an unavailable model has a reason', () => {
  const pro = model({ access: 'premium_required' })
  expect(modelProblem(pro, { plan: 'guest', usage: undefined }, 0)?.code).toBe('premium_required')
  expect(modelProblem(pro, { plan: 'pro', usage: usage() }, 0)).toBeNull()
  expect(modelProblem(pro, undefined, 0)).toBeNull()
  const dear = model({ credits: 3 })
  const left = (count: number) => ({ plan: 'free', usage: usage({ credits: creditsPerDay.free - count }) }) as const
  expect(modelProblem(dear, left(0), 0)?.code).toBe('credits_exhausted')
  expect(modelProblem(dear, left(2), 0)).toEqual({ code: 'credits_short', values: { credits: 3, left: 2 } })
  expect(modelProblem(dear, left(3), 0)).toBeNull()
})

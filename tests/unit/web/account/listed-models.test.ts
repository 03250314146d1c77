import { expect, test } from 'vitest'
import { listedModels, type ModelFilter, withFilterToggled } from '../../../../web/features/account/models-page.tsx'
import { model } from '../build.ts'

const models = [
  model({ id: 'gpt', name: 'GPT 5 Mini', icon: 'openai', capabilities: ['vision', 'reasoning'], description: 'Quick and light' }),
  model({ id: 'kimi', name: 'Kimi K2', icon: 'moonshot', access: 'account_required', description: 'Lively' }),
  model({ id: 'gpt-pro', name: 'GPT 5', icon: 'openai', access: 'premium_required', capabilities: ['reasoning'], description: 'Large' }),
  model({ id: 'old', name: 'GPT 4', icon: 'openai', unavailable: 'model_retired', description: 'Old' }),
]
const idsOf = (search: string, ...filters: ModelFilter[]) =>
  listedModels(models, { search, filters, pins: ['kimi', 'gpt-pro'] }).map((group) => [group.maker, ...group.models.map(({ id }) => id)])

test('models are grouped by maker, without those that are no longer offered', () =>
  expect(idsOf('')).toEqual([
    ['openai', 'gpt', 'gpt-pro'],
    ['moonshot', 'kimi'],
  ]))

test.each<[search: string, filters: ModelFilter[], ids: string[][]]>([
  [
    '',
    ['pinned'],
    [
      ['openai', 'gpt-pro'],
      ['moonshot', 'kimi'],
    ],
  ],
  [
    '',
    ['free'],
    [
      ['openai', 'gpt'],
      ['moonshot', 'kimi'],
    ],
  ],
  ['', ['pro'], [['openai', 'gpt-pro']]],
  ['', ['images'], [['openai', 'gpt']]],
  ['', ['pinned', 'reasoning'], [['openai', 'gpt-pro']]],
  ['light', [], [['openai', 'gpt']]],
  ['OpenAI', ['free'], [['openai', 'gpt', 'old']]],
  ['light', ['pinned'], []],
])('a search for “%s” with the filters %j', (search, filters, ids) => expect(idsOf(search, ...filters)).toEqual(ids))

test('a filter is turned on and off, and Free and PRO replace each other', () => {
  expect(withFilterToggled(['images'], 'free')).toEqual(['images', 'free'])
  expect(withFilterToggled(['images', 'free'], 'pro')).toEqual(['images', 'pro'])
  expect(withFilterToggled(['images', 'free'], 'images')).toEqual(['free'])
})

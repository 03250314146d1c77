import { expect, test } from 'vitest'
import { effectiveModeFor, modeProblem } from '../../../../../web/features/chat/composer/mode-problem.ts'
import { dayOf } from '../../../../../worker/contract/access.ts'
import type { RowOf } from '../../../../../worker/contract/schema.ts'

const nowMs = Date.now()
const model = (capabilities: RowOf<'model'>['capabilities']) => ({ id: 'm', capabilities }) as RowOf<'model'>
const usage = (search: number, day = dayOf(nowMs), research = 0) => ({ id: 'u', userId: 'u', search, research, day }) as RowOf<'usage'>
const withTools = model(['tools'])

test.each([
  ['chat is always there', 'chat', { plan: 'guest', model: model(null), usage: usage(5) }, false, null],
  ['search, when everything allows it', 'search', { plan: 'guest', model: withTools, usage: usage(4) }, true, null],
  ['before a model is known', 'search', { plan: 'guest', model: undefined, usage: undefined }, true, null],
  ['not set up', 'search', { plan: 'pro', model: withTools, usage: undefined }, false, 'search_unavailable'],
  ['a model without tools', 'search', { plan: 'pro', model: model(['vision']), usage: undefined }, true, 'tools_unsupported'],
  ['the day of a guest', 'search', { plan: 'guest', model: withTools, usage: usage(5) }, true, 'tool_limit_reached'],
  ['PRO has more of them', 'search', { plan: 'pro', model: withTools, usage: usage(5) }, true, null],
  ['a new day', 'search', { plan: 'guest', model: withTools, usage: usage(5, dayOf(nowMs) - 1) }, true, null],
  ['research, for PRO', 'research', { plan: 'pro', model: withTools, usage: usage(50, dayOf(nowMs), 14) }, true, null],
  ['research for a guest', 'research', { plan: 'guest', model: withTools, usage: undefined }, true, 'research_account_required'],
  ['research without PRO', 'research', { plan: 'free', model: model(null), usage: undefined }, true, 'research_premium_required'],
  ['research and such a model', 'research', { plan: 'pro', model: model(null), usage: undefined }, true, 'tools_unsupported'],
  ['research without search', 'research', { plan: 'pro', model: withTools, usage: undefined }, false, 'search_unavailable'],
  ['the researches of a day', 'research', { plan: 'pro', model: withTools, usage: usage(0, dayOf(nowMs), 15) }, true, 'tool_limit_reached'],
] as const)('%s', (_name, mode, me, canSearch, problem) => {
  expect(modeProblem(mode, me, canSearch, nowMs)?.code ?? null).toBe(problem)
})

test('an unavailable mode becomes Chat with the reason; nothing is decided before the user is loaded', () => {
  const spent = { plan: 'guest', model: withTools, usage: usage(5) } as const
  expect(effectiveModeFor('search', spent, true, nowMs)).toEqual({
    mode: 'chat',
    fallbackReason: { code: 'tool_limit_reached' },
  })
  expect(effectiveModeFor('search', { ...spent, usage: usage(4) }, true, nowMs)).toEqual({ mode: 'search', fallbackReason: null })
  expect(effectiveModeFor('chat', spent, true, nowMs)).toEqual({ mode: 'chat', fallbackReason: null })
  expect(effectiveModeFor('search', undefined, true, nowMs)).toEqual({ mode: 'search', fallbackReason: null })
})

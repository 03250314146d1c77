// By which model an answer is written again or gone on with, and what is said of it beforehand.
import { expect, test } from 'vitest'
import { againOf, type Choice, type How } from '../../../../web/features/thread/again.ts'
import { searchesPerDay } from '../../../../worker/contract/limits.ts'
import type { AnswerMessage } from '../../../../worker/contract/messages.ts'
import { model, usage } from '../build.ts'

const nowMs = 20_000 * 86_400_000
const own = model({ id: 'own', name: 'Own', credits: 3 })
const chosen = model({ id: 'chosen', name: 'Chosen' })
const result = { number: 1, title: 'Tea', url: 'https://tea.example', site: 'tea.example', snippet: '' }
const found = {
  type: 'tool-search',
  toolCallId: 'c',
  state: 'output-available',
  input: { query: 'tea' },
  output: { results: [result] },
} as const

const answer = (metadata: object = {}, parts: AnswerMessage['parts'] = [{ type: 'text', text: 'Half' }]): AnswerMessage => ({
  id: 'answer',
  role: 'assistant',
  parts,
  metadata: { modelId: 'own', modelName: 'Own', modelIcon: 'i', ending: 'interrupted', credits: 3, ...metadata },
})
const asker = (changes: object = {}, models = [own, chosen]): Choice => ({
  models,
  me: { plan: 'free', model: chosen, usage: usage({ day: 20_000 }), ...changes },
  canSearch: true,
})
const told = (message: AnswerMessage, by: Choice, how: How = {}) => {
  const { modelId, mode, price, named } = againOf(message, by, how, nowMs)
  return { modelId, mode, price, said: named('Retry') }
}

test('an answer is written again by its own model, whichever is chosen meanwhile, at the price of that one', () => {
  expect(told(answer(), asker())).toEqual({ modelId: 'own', mode: 'chat', price: '3 credits', said: 'Retry' })
})

test.each([
  ['is retired', [model({ ...own, unavailable: 'model_retired' }), chosen]],
  ['asks for more than this person has', [model({ ...own, access: 'premium_required' }), chosen]],
  ['is not in the catalogue any more', [chosen]],
])('the chosen one does it, by name, when its own model %s', (_why, models) => {
  expect(told(answer(), asker({}, models))).toEqual({ modelId: 'chosen', mode: 'chat', price: '1 credit', said: 'Retry with Chosen' })
})

test('while it is not known who asks, or among which models, it is asked of its own', () => {
  expect(told(answer(), { models: [], me: undefined, canSearch: true })).toEqual({
    modelId: 'own',
    mode: 'chat',
    price: undefined,
    said: 'Retry',
  })
})

test('a search is made again as long as the day has one, and left out by name when it has none', () => {
  const spent = asker({ usage: usage({ day: 20_000, search: searchesPerDay.free }) })
  expect(told(answer({ mode: 'search' }), asker())).toMatchObject({ mode: 'search', said: 'Retry' })
  expect(told(answer({ mode: 'search' }), spent)).toMatchObject({ mode: 'chat', said: 'Retry without search' })
  // What it goes on with was found already.
  expect(told(answer({ mode: 'search' }, [found, { type: 'text', text: 'Half' }]), spent, { isGoingOn: true })).toMatchObject({
    mode: 'search',
    said: 'Retry',
  })
  expect(told(answer({ mode: 'search' }), spent, { isGoingOn: true })).toMatchObject({ mode: 'chat', said: 'Retry without search' })
})

test('a search is left out by name where nobody can search any more, also when it only goes on with what was found', () => {
  const nowhere = { ...asker(), canSearch: false }
  expect(told(answer({ mode: 'search' }), nowhere)).toMatchObject({ mode: 'chat', said: 'Retry without search' })
  expect(told(answer({ mode: 'search' }, [found, { type: 'text', text: 'Half' }]), nowhere, { isGoingOn: true }).mode).toBe('chat')
  expect(told(answer({ mode: 'search' }), { ...nowhere, me: undefined }).mode).toBe('chat')
  expect(told(answer(), nowhere)).toMatchObject({ mode: 'chat', said: 'Retry' })
})

test('a model that is chosen for one answer writes it, without the search that it cannot have', () => {
  const reading = model({ id: 'reading', name: 'Reading', capabilities: [] })
  const by = asker({}, [own, chosen, reading])
  const spent = asker({ usage: usage({ day: 20_000, search: searchesPerDay.free }) }, [own, chosen])
  expect(told(answer({ mode: 'search' }), by, { modelId: 'chosen' })).toMatchObject({
    modelId: 'chosen',
    mode: 'search',
    price: '1 credit',
  })
  expect(told(answer({ mode: 'search' }), by, { modelId: 'reading' })).toMatchObject({ modelId: 'reading', mode: 'chat' })
  expect(told(answer({ mode: 'search' }), spent, { modelId: 'chosen' })).toMatchObject({ modelId: 'chosen', mode: 'chat' })
  // Nobody wants another one in its place: that it is refused says why.
  const retired = asker({}, [model({ ...own, unavailable: 'model_retired' }), chosen])
  expect(told(answer(), retired, { modelId: 'own' }).modelId).toBe('own')
})

// By which model an answer is written again or gone on with, and what is said of it beforehand.
import { expect, test } from 'vitest'
import { againOf, type Choice } from '../../../../web/features/thread/again.ts'
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
})
const told = (message: AnswerMessage, by: Choice, isGoingOn = false) => {
  const { modelId, mode, price, named } = againOf(message, by, isGoingOn, nowMs)
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
  expect(told(answer(), { models: [], me: undefined })).toEqual({ modelId: 'own', mode: 'chat', price: undefined, said: 'Retry' })
})

test('a search is made again as long as the day has one, and left out by name when it has none', () => {
  const spent = asker({ usage: usage({ day: 20_000, search: searchesPerDay.free }) })
  expect(told(answer({ mode: 'search' }), asker())).toMatchObject({ mode: 'search', said: 'Retry' })
  expect(told(answer({ mode: 'search' }), spent)).toMatchObject({ mode: 'chat', said: 'Retry without search' })
  // What it goes on with was found already.
  expect(told(answer({ mode: 'search' }, [found, { type: 'text', text: 'Half' }]), spent, true)).toMatchObject({
    mode: 'search',
    said: 'Retry',
  })
  expect(told(answer({ mode: 'search' }), spent, true)).toMatchObject({ mode: 'chat', said: 'Retry without search' })
})

// Suggestions of a server for an argument, while the user types.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createSuggestions, suggestionPauseMs } from '../../../../../web/features/chat/composer/server-inserts/suggestions.ts'
import type { ServerSuggestions } from '../../../../../worker/contract/http.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function given() {
  const asked: string[] = []
  const shown: string[] = []
  const answers: ((answer: ServerSuggestions | Promise<never>) => void)[] = []
  const suggestions = createSuggestions(
    ({ name, values }) => {
      asked.push(`${name}: ${values[name]}`)
      return new Promise((resolve) => answers.push(resolve))
    },
    (name, values) => shown.push(`${name}: ${values.join(', ')}`),
  )
  const type = (city: string) => suggestions.ask({ name: 'city', values: { city } })
  const pause = () => vi.advanceTimersByTimeAsync(suggestionPauseMs)
  const answer = async (given: ServerSuggestions | Promise<never>) => {
    answers.shift()?.(given)
    await vi.advanceTimersByTimeAsync(0)
  }
  return { suggestions, asked, shown, type, pause, answer }
}

test('one request follows a pause, for what was typed last', async () => {
  const { asked, shown, type, pause, answer } = given()
  for (const city of ['K', 'Ki', 'Kie']) type(city)
  expect(asked).toEqual([])
  await pause()
  expect(asked).toEqual(['city: Kie'])
  await answer({ values: ['Kiel'] })
  expect(shown).toEqual(['city: Kiel'])
})

test('while a request runs, no other is sent; the newest value follows it', async () => {
  const { asked, type, pause, answer } = given()
  for (const city of ['K', 'Ki', 'Kie']) {
    type(city)
    await pause()
  }
  expect(asked).toEqual(['city: K'])
  await answer({ values: [] })
  expect(asked).toEqual(['city: K', 'city: Kie'])
})

test.each<[string, () => ServerSuggestions | Promise<never>]>([
  ['has none', () => null],
  ['cannot be reached', () => Promise.reject(new Error('offline'))],
])('a server that %s is not asked again', async (_, answerOf) => {
  const { asked, shown, type, pause, answer } = given()
  type('K')
  await pause()
  await answer(answerOf())
  type('Ki')
  await pause()
  expect([asked, shown]).toEqual([['city: K'], []])
})

test('nothing is sent or shown after the form closed', async () => {
  const { suggestions, asked, shown, type, pause, answer } = given()
  type('K')
  await pause()
  type('Ki')
  suggestions.close()
  await answer({ values: ['Kiel'] })
  await pause()
  expect([asked, shown]).toEqual([['city: K'], []])
})

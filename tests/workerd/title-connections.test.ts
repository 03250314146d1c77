// Titles of threads that begin together: they share one connection, the answers wait for none of them, and every thread gets its own.

import { afterEach, expect, test, vi } from 'vitest'
import { maxTitleConnections } from '../../worker/contract/limits.ts'
import { content } from './bindings.ts'
import { givenTurn, inside, recordOf, untilEnded } from './turns.ts'
import { until } from './until.ts'
import { saying } from './vendor.ts'

afterEach(() => vi.unstubAllGlobals())

const titled = (title: string) =>
  Response.json({
    content: [{ type: 'text', text: title }],
    finishReason: { unified: 'stop', raw: 'stop' },
    usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
    warnings: [],
  })

const titlesOf = async (threadIds: readonly string[]) => {
  const marks = threadIds.map(() => '?').join(', ')
  const { results } = await content
    .prepare(`select title from thread where id in (${marks}) order by title`)
    .bind(...threadIds)
    .all<{ title: string }>()
  return results.map(({ title }) => title)
}

test('one after the other, however many begin at once', async () => {
  const first = await givenTurn('What is tea?')
  const orders = [first, ...(await Promise.all(['coffee', 'cocoa', 'milk'].map((drink) => givenTurn(`What is ${drink}?`, { by: first }))))]
  const answers: (() => void)[] = []
  let open = 0
  let mostOpen = 0
  await inside(first, async (generation) => {
    generation.reachGateway()
    vi.stubGlobal('fetch', (_input: unknown, init?: RequestInit) => {
      if (new Headers(init?.headers).get('ai-language-model-streaming') === 'true') return Promise.resolve(saying('Hi.'))
      open += 1
      mostOpen = Math.max(mostOpen, open)
      return new Promise<Response>((resolve) =>
        answers.push(() => {
          open -= 1
          resolve(titled(`Title ${answers.length}`))
        }),
      )
    })
    await Promise.all(orders.map((order) => generation.ensure(order)))
  })
  // Not one title is there, and every answer is.
  for (const order of orders) await untilEnded(order)
  expect((await recordOf(first)).thread).toMatchObject({ title: 'What is tea?', status: 'ready' })
  for (let number = 1; number <= orders.length; number++) {
    await until(
      async () => answers.length,
      (count) => count >= number,
      `title ${number} is asked for`,
    )
    await inside(first, () => answers[number - 1]?.())
  }
  const threadIds = orders.map(({ threadId }) => threadId)
  await until(
    () => titlesOf(threadIds),
    (titles) => titles.every((title) => title.startsWith('Title ')),
    'every title',
  )
  expect(await titlesOf(threadIds)).toEqual(orders.map((_, index) => `Title ${index + 1}`))
  expect(mostOpen).toBe(maxTitleConnections)
})

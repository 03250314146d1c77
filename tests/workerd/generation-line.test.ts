// Models that were asked and have not begun to answer: so many of one person at once, and what becomes of the answers behind them.
import { afterEach, expect, test, vi } from 'vitest'
import { maxAskedModels } from '../../worker/contract/limits.ts'
import type { TurnOrder } from '../../worker/contract/turn.ts'
import { generationOf, givenTurn, inside, openStream, readEvents, recordOf, textIn, untilEnded } from './turns.ts'
import { until } from './until.ts'
import { type Asked, calling, saying, vendor } from './vendor.ts'

afterEach(() => vi.unstubAllGlobals())

type Answer = (response: Response) => void

/** So many answers of one person, of models that say nothing until they are told to. The first, in `mode`, is asked before the others. */
async function ordered(count: number, mode: 'chat' | 'search' = 'chat') {
  const first = await givenTurn('hello', { untitled: false, mode })
  const orders = [first]
  while (orders.length < count) orders.push(await givenTurn('hello', { untitled: false, by: first }))
  const answers: Answer[] = []
  let asked: readonly Asked[] = []
  const untilAsked = (wanted: number) =>
    until(
      () => inside(first, () => asked.length),
      (length) => length === wanted,
      `${wanted} models asked`,
    )
  await inside(first, async (generation, state) => {
    generation.reachGateway()
    asked = vendor(state, () => new Promise((resolve) => answers.push(resolve)))
    await generation.ensure(first)
  })
  await untilAsked(1)
  await inside(first, async (generation) => {
    for (const order of orders.slice(1)) await generation.ensure(order)
  })
  const stop = (order: TurnOrder | undefined) => order && generationOf(order).stop(order.generationId, order.userId)
  const answer = (index: number, said: string | (() => Response)) =>
    inside(first, () => answers[index]?.(typeof said === 'string' ? saying(said) : said()))
  return { orders, untilAsked, stop, answer, asked: () => inside(first, () => asked.length) }
}

test('an answer behind as many as may wait asks its model when one of them has begun, or was stopped', async () => {
  const { orders, untilAsked, stop, answer } = await ordered(maxAskedModels + 2)
  await untilAsked(maxAskedModels)
  await answer(0, 'The first')
  await untilAsked(maxAskedModels + 1)
  await stop(orders[1])
  await untilAsked(maxAskedModels + 2)
  await answer(maxAskedModels, 'The one behind')
  const behind = orders[maxAskedModels] as TurnOrder
  await untilEnded(behind)
  expect(textIn((await recordOf(behind)).answer?.parts ?? [])).toBe('The one behind')
  for (const order of orders) await stop(order)
  for (const order of orders) await untilEnded(order)
})

test('one that is stopped in line is free, and its model is never asked', async () => {
  const { orders, untilAsked, stop, answer } = await ordered(maxAskedModels + 2)
  await untilAsked(maxAskedModels)
  const [stopped, last] = orders.slice(maxAskedModels) as [TurnOrder, TurnOrder]
  await stop(stopped)
  await untilEnded(stopped)
  expect(await recordOf(stopped)).toMatchObject({ generation: { status: 'stopped' }, ledger: [{ kind: 'release' }, { kind: 'reserve' }] })
  await answer(0, 'The first')
  await untilAsked(maxAskedModels + 1)
  await answer(maxAskedModels, 'The last')
  await untilEnded(last)
  expect(textIn((await recordOf(last)).answer?.parts ?? [])).toBe('The last')
  for (const order of orders) await stop(order)
  for (const order of orders) await untilEnded(order)
})

test('what a model is asked behind its search waits in line as a first question does', async () => {
  const { orders, untilAsked, stop, answer, asked } = await ordered(maxAskedModels + 1, 'search')
  const [searching, other] = orders as [TurnOrder, TurnOrder]
  await untilAsked(maxAskedModels)
  const found = readEvents(await openStream(searching), (events) =>
    events.some((event) => event.type === 'chunk' && event.chunk.type === 'tool-output-available'),
  )
  await answer(0, () => calling('search', '{"query":"tea"}'))
  await found
  await untilAsked(maxAskedModels + 1)
  // Nothing is left in its way but the line.
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(await asked()).toBe(maxAskedModels + 1)
  await stop(other)
  await untilAsked(maxAskedModels + 2)
  await answer(maxAskedModels + 1, 'Tea.')
  await untilEnded(searching)
  expect(textIn((await recordOf(searching)).answer?.parts ?? [])).toBe('Tea.')
  for (const order of orders) await stop(order)
  for (const order of orders) await untilEnded(order)
})

// Models that were asked and have not begun to answer: so many of one person at once, and what becomes of the answers behind them.
import { afterEach, expect, test, vi } from 'vitest'
import { maxAskedModels } from '../../worker/contract/limits.ts'
import type { TurnOrder } from '../../worker/contract/turn.ts'
import { generationOf, givenTurn, inside, recordOf, textIn, untilEnded } from './turns.ts'
import { until } from './until.ts'
import { type Asked, saying, vendor } from './vendor.ts'

afterEach(() => vi.unstubAllGlobals())

type Answer = (response: Response) => void

/** So many answers of one person, of models that say nothing until they are told to. */
async function ordered(count: number) {
  const first = await givenTurn('hello', { untitled: false })
  const orders = [first]
  while (orders.length < count) orders.push(await givenTurn('hello', { untitled: false, by: first }))
  const answers: Answer[] = []
  let asked: readonly Asked[] = []
  await inside(first, async (generation, state) => {
    generation.reachGateway()
    asked = vendor(state, () => new Promise((resolve) => answers.push(resolve)))
    for (const order of orders) await generation.ensure(order)
  })
  const untilAsked = (wanted: number) =>
    until(
      () => inside(first, () => asked.length),
      (length) => length === wanted,
      `${wanted} models asked`,
    )
  const stop = (order: TurnOrder | undefined) => order && generationOf(order).stop(order.generationId, order.userId)
  return { orders, untilAsked, stop, answer: (index: number, text: string) => inside(first, () => answers[index]?.(saying(text))) }
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

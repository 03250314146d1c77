// The formulas of an answer that render without a click: their total is bounded, however they are divided.
import { describe, expect, test } from 'vitest'
import { formulaAllowance, type RenderState } from '../../../../../web/ui/markdown/formula-allowance.tsx'
import { allowedWork, workOf } from '../../../../../web/ui/streaming-markdown/formula-limits.ts'

type Placed = { readonly at: number; readonly source: string }

/** Positions in a text without anything between the formulas. */
const placed = (source: string, count: number): readonly Placed[] =>
  Array.from({ length: count }, (_, index) => ({ at: index * source.length, source }))

const sumOf = (formulas: readonly Placed[]): number => formulas.reduce((sum, { source }) => sum + workOf(source), 0)

/** A page with mounting and unmounting formulas. Formulas of one call mount together. */
function page() {
  const allowance = formulaAllowance()
  const stateOf = ({ at, source }: Placed): RenderState => allowance.stateOf(at, source)
  return {
    allowance,
    statesOf: (formulas: readonly Placed[]): readonly RenderState[] => formulas.map(stateOf),
    /** Returns a function that unmounts them. */
    put: async (formulas: readonly Placed[]) => {
      const leavers = formulas.map(({ at, source }) => allowance.register(at, source))
      await Promise.resolve()
      return async () => {
        for (const leave of leavers) leave()
        await Promise.resolve()
      }
    },
  }
}

const long = 'x'.repeat(4000)
/** As many as the allowance permits. */
const fullPage = async () => {
  const full = page()
  const formulas = placed(long, 5)
  await full.put(formulas)
  expect(full.statesOf(formulas)).toEqual(formulas.map(() => 'drawn'))
  return full
}

describe.each([
  ['of one letter', 'x'],
  ['of an ordinary length', 'x'.repeat(60)],
  ['of the greatest length', long],
  ['that are a table', 'a&b\\\\'.repeat(300)],
])('formulas %s', (_, source) => {
  const formulas = placed(source, 1 + Math.ceil((3 * allowedWork) / workOf(source)))

  test('render up to the total, and the first of the others offers to continue', async () => {
    const { put, statesOf } = page()
    // In any order of mounting.
    await put(formulas.toReversed())
    const leaves = statesOf(formulas)
    const drawn = formulas.filter((_, index) => leaves[index] === 'drawn')
    expect(sumOf(drawn)).toBeLessThanOrEqual(allowedWork)
    expect(sumOf(drawn)).toBeGreaterThan(allowedWork - workOf(source))
    expect(leaves.slice(drawn.length)).toEqual(['next', ...formulas.slice(drawn.length + 1).map(() => 'waiting')])
  })

  test('render further with each request, to the last', async () => {
    const { allowance, put, statesOf } = page()
    await put(formulas)
    let notifications = 0
    const stop = allowance.subscribe(() => {
      notifications += 1
    })
    const drawn = () => {
      const leaves = statesOf(formulas)
      return formulas.filter((_, index) => leaves[index] === 'drawn')
    }
    for (let allowed = 1; allowed <= 3; allowed += 1) {
      expect(sumOf(drawn())).toBeLessThanOrEqual(allowed * allowedWork)
      expect(drawn().length).toBeLessThan(formulas.length)
      allowance.allowMore()
    }
    expect(drawn()).toEqual(formulas)
    expect(notifications).toBe(3)
    stop()
    allowance.allowMore()
    expect(notifications).toBe(3)
  })

  test('that mount again have the same state', async () => {
    const { allowance, put, statesOf } = page()
    const takeOff = await put(formulas)
    allowance.allowMore()
    const leaves = statesOf(formulas)
    await takeOff()
    // The last one alone: a page mounts again from its end.
    const takeLast = await put(formulas.slice(-1))
    expect(statesOf(formulas.slice(-1))).toEqual(['next'])
    await takeLast()
    await put(formulas)
    expect(statesOf(formulas)).toEqual(leaves)
  })
})

test('a small one after the first that is not rendered waits as well', async () => {
  const { put, statesOf } = await fullPage()
  const others = [
    { at: 20_000, source: long },
    { at: 24_000, source: 'x' },
  ]
  await put(others)
  expect(statesOf(others)).toEqual(['next', 'waiting'])
})

test('when the first unrendered one is removed, the following ones are decided again', async () => {
  const { put, statesOf } = await fullPage()
  const removed = { at: 20_000, source: long }
  const behind = [
    { at: 24_000, source: 'x' },
    { at: 28_000, source: long },
  ]
  const takeOff = await put([removed])
  await put(behind)
  expect(statesOf([removed, ...behind])).toEqual(['next', 'waiting', 'waiting'])
  await takeOff()
  expect(statesOf(behind)).toEqual(['drawn', 'next'])
})

test('an earlier one without allowance offers to continue instead, and rendered ones stay', async () => {
  const { put, statesOf } = await fullPage()
  const behind = { at: 50_000, source: long }
  const before = { at: 20_000, source: long }
  await put([behind])
  const takeOff = await put([before])
  expect(statesOf([before, behind])).toEqual(['next', 'waiting'])
  expect(statesOf(placed(long, 5))).toEqual(Array(5).fill('drawn'))
  await takeOff()
  expect(statesOf([behind])).toEqual(['next'])
})

test('one that has grown counts with its length, once', async () => {
  const { put, statesOf } = page()
  for (let chars = 1; chars <= 4000; chars += 1) {
    const grown = { at: 0, source: 'x'.repeat(chars) }
    const takeOff = await put([grown])
    expect(statesOf([grown])).toEqual(['drawn'])
    await takeOff()
  }
  const others = Array.from({ length: 5 }, (_, index) => ({ at: (index + 1) * 5000, source: long }))
  await put(others)
  expect(statesOf(others)).toEqual(['drawn', 'drawn', 'drawn', 'drawn', 'next'])
})

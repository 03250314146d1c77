// How many formulas of one answer are drawn before anybody asks: their sum is bounded, however they are cut.
import { describe, expect, test } from 'vitest'
import { allowedWork, formulaAllowance, workOf } from '../../../../web/ui/markdown/formula-allowance.ts'

type Placed = { readonly at: number; readonly source: string }

/** In the order of a text in which nothing stands between them. */
const placed = (source: string, count: number): readonly Placed[] =>
  Array.from({ length: count }, (_, index) => ({ at: index * source.length, source }))

const sumOf = (formulas: readonly Placed[]): number => formulas.reduce((sum, { source }) => sum + workOf(source), 0)

describe.each([
  ['of one letter', 'x'],
  ['of an ordinary length', 'x'.repeat(60)],
  ['of the greatest length', 'x'.repeat(4000)],
  ['that are a table', 'a&b\\\\'.repeat(300)],
])('formulas %s', (_, source) => {
  const formulas = placed(source, 1 + Math.ceil((3 * allowedWork) / workOf(source)))

  test('are drawn up to the sum, and the first of the others says so', () => {
    const allowance = formulaAllowance()
    const leaves = formulas.map(({ at }) => allowance.ask(at, source))
    const drawn = formulas.filter((_, index) => leaves[index] === 'drawn')
    expect(sumOf(drawn)).toBeLessThanOrEqual(allowedWork)
    expect(sumOf(drawn)).toBeGreaterThan(allowedWork - workOf(source))
    expect(leaves.slice(drawn.length)).toEqual(['next', ...formulas.slice(drawn.length + 1).map(() => 'waiting')])
    // A page asks at every turn.
    expect(formulas.map(({ at }) => allowance.ask(at, source))).toEqual(leaves)
  })

  test('are drawn further each time that more is allowed, to the last', () => {
    const allowance = formulaAllowance()
    let told = 0
    const stop = allowance.subscribe(() => {
      told += 1
    })
    const drawn = () => formulas.filter(({ at }) => allowance.ask(at, source) === 'drawn')
    for (let allowed = 1; allowed <= 3; allowed += 1) {
      expect(sumOf(drawn())).toBeLessThanOrEqual(allowed * allowedWork)
      expect(drawn().length).toBeLessThan(formulas.length)
      allowance.allowMore()
    }
    expect(drawn()).toEqual(formulas)
    expect(told).toBe(3)
    stop()
    allowance.allowMore()
    expect(told).toBe(3)
  })
})

test('a small one behind the first that is not drawn waits with it', () => {
  const allowance = formulaAllowance()
  for (const { at, source } of placed('x'.repeat(4000), 5)) expect(allowance.ask(at, source)).toBe('drawn')
  expect(allowance.ask(20_000, 'x'.repeat(4000))).toBe('next')
  expect(allowance.ask(24_000, 'x')).toBe('waiting')
})

test('one that has grown is counted by its length, not twice', () => {
  const allowance = formulaAllowance()
  for (let chars = 1; chars <= 4000; chars += 1) expect(allowance.ask(0, 'x'.repeat(chars))).toBe('drawn')
  for (let at = 1; at < 5; at += 1) expect(allowance.ask(at * 5000, 'x'.repeat(4000))).toBe('drawn')
  expect(allowance.ask(25_000, 'x'.repeat(4000))).toBe('next')
})

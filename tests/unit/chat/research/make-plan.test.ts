import { describe, expect, test } from 'vitest'
import { planFrom } from '../../../../worker/chat/research/run-research.ts'
import { maxPlanStepChars, maxPlanSteps, maxQueryChars } from '../../../../worker/contract/limits.ts'
import { createRng } from '../../../support/rng.ts'

const stepsOf = (text: string, question = 'What is asked') =>
  planFrom(text, question).steps.map(({ text: stepText, queries }) => [stepText, ...queries])

describe('a plan is read from', () => {
  const cases: [string, string, string[][]][] = [
    [
      'what was asked for',
      '1. First => one; two\n2. Second => three',
      [
        ['First', 'one', 'two'],
        ['Second', 'three'],
      ],
    ],
    [
      'other numbers and bullets',
      '1) First => a\n- Second => b\n* Third\n• Fourth',
      [['First', 'a'], ['Second', 'b'], ['Third'], ['Fourth']],
    ],
    ['words around it', 'Here is the plan:\n\n1. First => a\n\nI hope it helps.', [['First', 'a']]],
    ['marks and quotes', '1. **First** => "a b"; “c”', [['First', 'a b', 'c']]],
    ['another arrow', '1. First → a', [['First', 'a']]],
    ['too many queries, and one twice', '1. First => a; a; b; c', [['First', 'a', 'b']]],
    ['no steps at all', 'I cannot plan this.', [['What is asked']]],
    ['nothing', '', [['What is asked']]],
  ]
  test.each(cases)('%s', (_name, text, steps) => expect(stepsOf(text)).toEqual(steps))
})

test('any model output becomes a plan within its limits', () => {
  const pieces = ['1. ', '- ', '=>', ';', '\n', 'word ', 'x'.repeat(400), 'x'.repeat(299), '"', '**', '🎈', ' ', '2)']
  for (let seed = 1; seed <= 1000; seed++) {
    const rng = createRng(seed)
    const { steps } = planFrom(Array.from({ length: rng.below(60) }, () => rng.pick(pieces)).join(''), '')
    expect(steps.length, `seed ${seed}`).toBeGreaterThan(0)
    expect(steps.length, `seed ${seed}`).toBeLessThanOrEqual(maxPlanSteps)
    expect(new Set(steps.map(({ id }) => id)).size, `seed ${seed}`).toBe(steps.length)
    for (const { text, queries } of steps) {
      expect(text.length, `seed ${seed}`).toBeLessThanOrEqual(maxPlanStepChars)
      expect(text.trim(), `seed ${seed}`).not.toBe('')
      for (const query of queries) expect(query.length, `seed ${seed}`).toBeLessThanOrEqual(maxQueryChars)
      expect(
        [text, ...queries].every((value) => value.isWellFormed()),
        `seed ${seed}`,
      ).toBe(true)
    }
  }
})

test('steps and queries are not cut inside a character', () => {
  const text = `1. ${'x'.repeat(maxPlanStepChars - 1)}🎈 => ${'q'.repeat(maxQueryChars - 1)}🎈`
  expect(stepsOf(text)).toEqual([['x'.repeat(maxPlanStepChars - 1), 'q'.repeat(maxQueryChars - 1)]])
})

test('a plan may have other line endings', () => {
  expect(stepsOf('1. First => one\r\n2. Second\u2028 half => two\r\n')).toEqual([
    ['First', 'one'],
    ['Second half', 'two'],
  ])
})

// Linear: a quadratic reader would take minutes.
test('very long white space is read once', () => {
  const space = ' '.repeat(400_000)
  expect(stepsOf(`1. ${space}\n2. First${space}x => one${space}`)).toEqual([['First x', 'one']])
  expect(stepsOf('', `Why${space}is it so?`)).toEqual([['Why is it so?']])
})

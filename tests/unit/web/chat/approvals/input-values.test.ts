// The form of a server in the page: its first values, its labels, and the answer or the problems that its values become.
import { expect, test } from 'vitest'
import { answerOf, labelOf, shownAnswer, valuesOf } from '../../../../../web/features/chat/approvals/input-values.ts'
import type { InputSchema } from '../../../../../worker/contract/tools/server-input.ts'

const many: InputSchema = {
  type: 'object',
  properties: {
    city: { type: 'string', title: 'Place', minLength: 2, maxLength: 5, default: 'Rome' },
    from: { type: 'string', title: 'Place' },
    mail: { type: 'string', format: 'email' },
    page: { type: 'string', format: 'uri' },
    day: { type: 'string', format: 'date' },
    at: { type: 'string', format: 'date-time' },
    seats: { type: 'integer', minimum: 1, maximum: 4, default: 2 },
    price: { type: 'number' },
    sure: { type: 'boolean', default: true },
    kind: { type: 'string', enum: ['a', 'b'], enumNames: ['First', 'Second'] },
    extras: { type: 'array', items: { type: 'string', enum: ['x', 'y'] }, minItems: 1, maxItems: 1 },
  },
  required: ['kind'],
  additionalProperties: false,
}

test('[Y9] a form begins with the defaults, or with the answer that a crash lost', () => {
  expect(valuesOf(many, undefined)).toMatchObject({ city: 'Rome', mail: '', seats: '2', sure: true, kind: '', extras: [] })
  expect(valuesOf(many, { city: 'Dover', extras: ['x'] })).toMatchObject({ city: 'Dover', seats: '', sure: '', extras: ['x'] })
  const at = '2026-01-02T03:04:00.000Z'
  expect(answerOf(many, { ...valuesOf(many, { at, kind: 'a' }) })).toMatchObject({ ok: true, answer: { at } })
})

test('empty fields are left out, and the others have the types of the schema', () => {
  expect(answerOf(many, { kind: 'b', seats: '3', price: ' 2,5 ', sure: false, extras: [], city: '' })).toEqual({
    ok: true,
    answer: { kind: 'b', seats: 3, price: 2.5, sure: false },
  })
})

test.each([
  ['city', 'D', 'Enter at least 2 characters.'],
  ['city', 'Calais', 'Enter at most 5 characters.'],
  ['mail', 'ada', 'Enter an email address.'],
  ['page', 'example.org', 'Enter a whole address, such as https://example.org.'],
  ['day', 'today', 'Enter a date.'],
  ['seats', '0', 'Enter at least 1.'],
  ['seats', '5', 'Enter at most 4.'],
  ['seats', '1.5', 'Enter a whole number.'],
  ['price', 'much', 'Enter a number.'],
  ['extras', ['x', 'y'], 'Choose at most 1.'],
  ['kind', '', 'Fill in this field.'],
] as const)('%s with %j has a problem', (name, value, problem) => {
  expect(answerOf(many, { kind: 'a', [name]: value })).toEqual({ ok: false, problems: { [name]: problem } })
})

test('dates and decimals are shown in the language of the page', () => {
  const given = { day: '2026-12-03', at: '2026-12-03T08:15:00.000Z', price: 1234.5, seats: 2026 }
  const at = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' }).format(Date.parse(given.at))
  expect(shownAnswer({ message: '', schema: many }, given)).toEqual([
    ['day', 'Dec 3, 2026'],
    ['at', at],
    ['price', '1234.5'],
    ['seats', '2026'],
  ])
})

test('fields of one title are told apart by their names, and options are shown by theirs', () => {
  expect(['city', 'from', 'mail'].map((name) => labelOf(many, name))).toEqual(['Place (city)', 'Place (from)', 'mail'])
  expect(shownAnswer({ message: '', schema: many }, { kind: 'b', sure: true, extras: ['x', 'y'], gone: 1 })).toEqual([
    ['kind', 'Second'],
    ['sure', 'Yes'],
    ['extras', 'x, y'],
    ['gone', '1'],
  ])
})

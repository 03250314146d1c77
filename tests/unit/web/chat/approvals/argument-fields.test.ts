// The arguments of a call as form fields, and back.
import { describe, expect, test } from 'vitest'
import { fieldsOf, inputOf, parseInput, shownValue, valuesOf } from '../../../../../web/features/chat/approvals/argument-fields.ts'

const schema = {
  type: 'object',
  properties: {
    title: { type: 'string', description: 'The title.' },
    count: { type: 'integer' },
    isPublic: { type: 'boolean' },
  },
  required: ['title'],
}
const input = { title: 'Tea', isPublic: true }

describe('a flat schema', () => {
  const fields = fieldsOf(schema, input) ?? []

  test('has one field for each argument', () => {
    expect(fields).toEqual([
      { name: 'title', kind: 'text', description: 'The title.', isRequired: true },
      { name: 'count', kind: 'number', description: undefined, isRequired: false },
      { name: 'isPublic', kind: 'boolean', description: undefined, isRequired: false },
    ])
    expect(valuesOf(fields, input)).toEqual({ title: 'Tea', count: '', isPublic: true })
  })

  test.each([
    [
      { title: 'Milk', count: '', isPublic: false },
      { ok: true, input: { title: 'Milk', isPublic: false } },
    ],
    [
      { title: '', count: '2', isPublic: true },
      { ok: true, input: { title: '', count: 2, isPublic: true } },
    ],
    [
      { title: 'Milk', count: 'two', isPublic: true },
      { ok: false, problem: 'Enter a number.' },
    ],
  ])('%j becomes input', (values, parsed) => expect(inputOf(fields, values)).toEqual(parsed))
})

test.each([
  ['a nested argument', { properties: { to: { type: 'array' } } }, {}],
  ['an argument of several types', { properties: { to: { type: ['string', 'null'] } } }, {}],
  ['an argument without a name in the schema', schema, { other: 1 }],
  ['no schema', null, input],
  ['no arguments', { properties: {} }, {}],
])('%s is changed as JSON', (_name, given, value) => expect(fieldsOf(given, value)).toBeNull())

test.each([
  ['{"a":1}', { ok: true, input: { a: 1 } }],
  ['[1]', { ok: false, problem: 'The arguments must be a JSON object.' }],
  ['{', { ok: false, problem: expect.stringMatching(/^This is not valid JSON: /) }],
])('%s', (text, parsed) => expect(parseInput(text)).toEqual(parsed))

test.each([
  ['Tea\n\tand milk', 'Tea\n\tand milk'],
  ['a\u200bb\u202e.moc', 'a\\u{200b}b\\u{202e}.moc'],
  ['a\u{e0100}b\u3164\u2800 ❤\ufe0f x\ufe0f', 'a\\u{e0100}b\\u{3164}\\u{2800} ❤\ufe0f x\\u{fe0f}'],
  ['Grüße 漢字 🙂', 'Grüße 漢字 🙂'],
  [{ a: '\u0007' }, '{\n  "a": "\\u0007"\n}'],
])('%j is shown with its invisible characters', (value, text) => expect(shownValue(value)).toBe(text))

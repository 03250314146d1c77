// The arguments of a call as form fields, and back.
import type { ReadonlyJSONObject } from '@rocicorp/zero'
import { describe, expect, test } from 'vitest'
import { argumentsForm, isChangeable, parseInput, shownValue } from '../../../../../web/features/chat/approvals/argument-fields.ts'
import { answerOf, valuesOf } from '../../../../../web/features/chat/approvals/input-values.ts'

const schema = {
  type: 'object',
  properties: {
    title: { type: 'string', description: 'The title.', title: 'Ignored' },
    count: { type: 'integer', maximum: 3 },
    isPublic: { type: 'boolean' },
    kind: { type: 'string', enum: ['tea', 'milk'] },
    extras: { type: 'array', items: { type: 'string', enum: ['cup', 'spoon'] } },
  },
  required: ['title', 'kind'],
}
const input = { title: 'Tea', isPublic: true, kind: 'tea' }

describe('a flat schema', () => {
  const form = argumentsForm(schema, input)
  if (!form) throw new Error('no form')

  test('has one field for each argument, with its closed choices', () => {
    expect(form.schema.properties).toEqual({ ...schema.properties, title: { type: 'string', description: 'The title.' } })
    expect(valuesOf(form.schema, form.given)).toEqual({ title: 'Tea', count: '', isPublic: true, kind: 'tea', extras: [] })
  })

  test.each([
    [
      { title: 'Milk', count: '', isPublic: false, kind: 'milk' },
      { ok: true, answer: { title: 'Milk', isPublic: false, kind: 'milk' } },
    ],
    [
      { title: '', count: '2', isPublic: true, kind: 'tea', extras: ['cup'] },
      { ok: true, answer: { title: '', count: 2, isPublic: true, kind: 'tea', extras: ['cup'] } },
    ],
    [
      { title: 'Milk', count: 'two', isPublic: true, kind: '' },
      { ok: false, problems: { count: 'Enter a number.', kind: 'Fill in this field.' } },
    ],
  ])('%j becomes input', (values, read) => expect(answerOf(form.schema, values, { mayBeEmpty: true })).toEqual(read))
})

test.each([
  ['a nested argument', { properties: { to: { type: 'array' } } }, {}],
  ['an argument of several types', { properties: { to: { type: ['string', 'integer', 'null'] } } }, {}],
  ['an argument of several schemas', { properties: { to: { anyOf: [{ type: 'string' }, { type: 'integer' }, { type: 'null' }] } } }, {}],
  ['an argument that is null', { properties: { to: { type: ['string', 'null'] } } }, { to: null }],
  ['an argument that refers to itself', { properties: { to: { anyOf: [{ $ref: '#/properties/to' }, { type: 'null' }] } } }, {}],
  ['an argument without a name in the schema', schema, { other: 1 }],
  ['a value of another type', schema, { title: 1 }],
  ['a value that is no choice', schema, { kind: 'coffee' }],
  ['a list with a value that is no choice', schema, { extras: ['cup', 'fork'] }],
  ['no schema', null, input],
  ['no arguments', { properties: {} }, {}],
])('%s is changed as JSON', (_name, given, value) => expect(argumentsForm(given, value)).toBeNull())

// anthropics/claude-code#77194 (.NET), Softeria/ms-365-mcp-server#62 (references to other arguments), Pydantic's optional arguments.
test.each<readonly [string, ReadonlyJSONObject, unknown]>([
  ['types with null', { to: { type: ['string', 'null'], enum: ['tea', null] } }, { type: 'string', enum: ['tea'] }],
  ['anyOf with null', { to: { anyOf: [{ type: 'integer', maximum: 3 }, { type: 'null' }] } }, { type: 'integer', maximum: 3 }],
  ['a reference', { to: { $ref: '#/properties/from' }, from: { type: 'string', enum: ['tea'] } }, { type: 'string', enum: ['tea'] }],
  [
    'a reference or null, with its own words',
    { to: { anyOf: [{ type: 'null' }, { $ref: '#/$defs/Drink' }], description: 'Own.' } },
    { type: 'string', enum: ['tea'], description: 'Own.' },
  ],
])('an argument that may be left out has its field: %s', (_name, properties, field) => {
  const $defs = { Drink: { type: 'string', enum: ['tea'], description: 'Drinks.' } }
  expect(argumentsForm({ properties, $defs }, {})?.schema.properties.to).toEqual(field)
})

// assistant-ui/assistant-ui#5339: a switch that nobody moved was sent as off.
describe('a switch that the call leaves out', () => {
  const optional = { properties: { isPublic: { type: 'boolean', default: true }, title: { type: 'string' } } }
  const answer = (more: object, values: object, given = {}) => {
    const form = argumentsForm({ ...optional, ...more }, given)
    if (!form) throw new Error('no form')
    return answerOf(form.schema, { ...valuesOf(form.schema, form.given), ...values })
  }

  test.each([
    ['is left out', {}, { title: 'Tea' }, { title: 'Tea' }],
    ['is sent when it was moved', {}, { isPublic: false }, { isPublic: false }],
    ['is sent as its default if it must be sent', { required: ['isPublic'] }, {}, { isPublic: true }],
  ])('%s', (_name, more, values, sent) => expect(answer(more, values)).toEqual({ ok: true, answer: sent }))

  test('unlike one that the call sets', () =>
    expect(answer({}, {}, { isPublic: false })).toEqual({ ok: true, answer: { isPublic: false } }))
})

test.each([
  ['no schema', null, { to: 'x' }, false],
  ['no arguments', { type: 'object', properties: {} }, {}, false],
  ['arguments that the schema does not name', { type: 'object', properties: {} }, { to: 'x' }, true],
  ['any arguments', { type: 'object', properties: {}, additionalProperties: { type: 'string' } }, {}, true],
  ['an argument that was left out', { type: 'object', properties: { to: {} } }, {}, true],
])('%s: can be changed or not', (_name, given, value, expected) => expect(isChangeable(given, value)).toBe(expected))

test('a choice without characters is typed, because an empty field means that nothing is chosen', () => {
  const form = argumentsForm({ properties: { kind: { type: 'string', enum: ['', 'tea'] } } }, {})
  expect(form?.schema.properties).toEqual({ kind: { type: 'string' } })
})

test.each([
  ['{"a":1}', { ok: true, answer: { a: 1 } }],
  ['[1]', { ok: false, problems: { json: 'The arguments must be a JSON object.' } }],
  ['{', { ok: false, problems: { json: 'This is not valid JSON.' } }],
])('%s', (text, parsed) => expect(parseInput(text)).toEqual(parsed))

test.each([
  ['Tea\n\tand milk', 'Tea\n\tand milk'],
  ['a\u200bb\u202e.moc', 'a\\u{200b}b\\u{202e}.moc'],
  ['a\u{e0100}b\u3164\u2800 ❤\ufe0f x\ufe0f', 'a\\u{e0100}b\\u{3164}\\u{2800} ❤\ufe0f x\\u{fe0f}'],
  ['Grüße 漢字 🙂', 'Grüße 漢字 🙂'],
  [{ a: '\u0007' }, '{\n  "a": "\\u0007"\n}'],
])('%j is shown with its invisible characters', (value, text) => expect(shownValue(value)).toBe(text))

// Input against JSON schemas that servers wrote.
import { expect, test } from 'vitest'
import { fitsSchema, schemaError } from '../../../worker/lib/fits-schema.ts'

const schema = { type: 'object', properties: { title: { type: 'string', minLength: 1 } }, required: ['title'], additionalProperties: false }

test('input that breaks a rule of the schema does not fit, and the error names the property', () => {
  expect(fitsSchema(schema, { title: 'Tea' })).toBe(true)
  for (const input of [{ title: '' }, {}, { title: 'Tea', more: 1 }, null, 'Tea']) expect(fitsSchema(schema, input)).toBe(false)
  expect(schemaError(schema, { title: '' })).toContain('title')
})

test.each([
  ['is of an unknown dialect', { $schema: 'https://example.org/dialect', type: 'string' }],
  ['refers to a missing definition', { $ref: '#/$defs/none' }],
  ['refers to itself', { $ref: '#' }],
  ['has an invalid pattern', { type: 'string', pattern: '(' }],
  ['is no object', 'text'],
])('a schema that %s accepts any input', (_, given) => {
  expect(fitsSchema(given, 'a')).toBe(true)
})

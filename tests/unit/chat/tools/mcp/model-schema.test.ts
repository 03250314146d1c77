// The arguments of server tools as models get them: no provider refuses them, and the server gets the names that it knows.
import { describe, expect, test } from 'vitest'
import { maxToolSchemaChars } from '../../../../../worker/contract/limits.ts'
import { looseSchema, modelSchema, withServerNames } from '../../../../../worker/contract/tools/model-schema.ts'
import { fitsSchema } from '../../../../../worker/lib/fits-schema.ts'
import { schemaRefusals } from '../../../../support/peers/tool-schema-rules.ts'
import { createRng } from '../../../../support/rng.ts'

type Json = Record<string, unknown>
const object = (properties: Json, fields: Json = {}): Json => ({ type: 'object', properties, ...fields })
const text = { type: 'string' }

/** Schemas of servers that a provider refused, and what the model gets. */
const refused: readonly (readonly [string, Json, Json])[] = [
  ['no arguments', { type: 'object' }, object({})],
  ['no type', {}, object({})],
  ['a list of anything', object({ a: { type: 'array' } }), object({ a: { type: 'array', items: {} } })],
  [
    'alternatives at the top level',
    object({ kind: text }, { anyOf: [{ properties: { a: text }, required: ['a'] }, { required: ['kind'] }] }),
    object({ a: text, kind: text }),
  ],
  [
    'conditions at the top level',
    object({ mode: text }, { allOf: [{ properties: { a: text }, required: ['a'] }] }),
    object({ a: text, mode: text }, { required: ['a'] }),
  ],
  [
    'alternatives with an argument of one name',
    { oneOf: ['x', 'y'].map((kind) => object({ kind: { const: kind } }, { required: ['kind'] })) },
    object({ kind: { anyOf: [{ enum: ['x'] }, { enum: ['y'] }] } }),
  ],
  ['alternatives of an argument', object({ a: { oneOf: [text, { type: 'null' }] } }), object({ a: { anyOf: [text, { type: 'null' }] } })],
  [
    'references',
    object({ a: { $ref: '#/$defs/Kind', description: 'Which' } }, { $defs: { Kind: { type: 'string', enum: ['x', 'y'] } } }),
    object({ a: { type: 'string', description: 'Which', enum: ['x', 'y'] } }),
  ],
  ['a reference to another argument', object({ a: text, b: { $ref: '#/properties/a' } }), object({ a: text, b: text })],
  ['a reference to nothing', object({ a: { $ref: '#/$defs/Gone' } }), object({ a: {} })],
  ['a constant', object({ a: { const: 'x' } }), object({ a: { enum: ['x'] } })],
  [
    'an enum of numbers',
    object({ a: { type: 'integer', enum: [1, 2] } }),
    object({ a: { type: 'integer', description: 'One of: [1,2].' } }),
  ],
  ['an empty enum', object({ a: { type: 'string', enum: [] } }), object({ a: text })],
  ['a format', object({ a: { type: 'string', format: 'uri' } }), object({ a: { type: 'string', description: 'Format: uri.' } })],
  ['a limit', object({ a: { type: 'number', exclusiveMinimum: 0, minimum: 0 } }), object({ a: { type: 'number', minimum: 0 } })],
  ['no other arguments', object({ a: text }, { additionalProperties: false }), object({ a: text })],
  ['an argument that is required and unknown', object({ a: text }, { required: ['a', 'b'] }), object({ a: text }, { required: ['a'] })],
  ['an argument that is no schema', object({ a: 'string', b: true }), object({ a: {}, b: {} })],
  ['an argument called properties', object({ properties: { type: 'object' } }), object({ properties: object({}) })],
  [
    'a list of places',
    object({ a: { type: 'array', prefixItems: [text, { type: 'number' }] } }),
    object({ a: { type: 'array', items: { anyOf: [text, { type: 'number' }] } } }),
  ],
  [
    'names with other characters',
    object({ $top: text, größe: text }, { required: ['$top'] }),
    object({ _top: text, gr__e: text }, { required: ['_top'] }),
  ],
]

describe('a schema that a provider refused', () => {
  test.each(refused)('%s', (_, schema, given) => {
    expect(schemaRefusals(schema)).not.toEqual([])
    expect(modelSchema(schema).schema).toEqual(given)
    expect(schemaRefusals(given)).toEqual([])
  })
})

test('a sound schema stays as it is', () => {
  const schema = object(
    {
      query: { type: 'string', description: 'What', minLength: 1 },
      sort: { type: 'string', enum: ['new', 'old'], default: 'new' },
      filter: { type: ['string', 'null'] },
      labels: { type: 'array', items: text, maxItems: 3 },
      after: { type: 'string', format: 'date-time' },
      fields: { type: 'object', properties: {}, additionalProperties: text },
    },
    { required: ['query'], description: 'Searches' },
  )
  expect(modelSchema(schema).schema).toEqual(schema)
})

test('a schema that refers to itself ends', () => {
  const schema = object({ tree: { $ref: '#/$defs/node' } }, { $defs: { node: object({ child: { $ref: '#/$defs/node' } }) } })
  expect(schemaRefusals(modelSchema(schema).schema)).toEqual([])
  expect(schemaRefusals(modelSchema({ $ref: '#' }).schema)).toEqual([])
})

test('references that multiply are left out', () => {
  const doubled = Object.fromEntries(
    Array.from({ length: 20 }, (_, i) => [`d${i}`, object({ a: { $ref: `#/$defs/d${i + 1}` }, b: { $ref: `#/$defs/d${i + 1}` } })]),
  )
  const long = { type: 'string', description: 'x'.repeat(2000) }
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`p${i}`, { $ref: '#/$defs/long' }]))
  for (const schema of [object({ a: { $ref: '#/$defs/d0' } }, { $defs: doubled }), object(many, { $defs: { long } })])
    expect(JSON.stringify(modelSchema(schema).schema).length).toBeLessThan(maxToolSchemaChars + 5000)
})

test('descriptions have visible characters only', () => {
  const hidden = 'Which\u202e city\u{e0041}\u{e0100}\u200b'
  expect(modelSchema(object({ a: { type: 'string', description: hidden } })).schema).toEqual(
    object({ a: { type: 'string', description: 'Which city' } }),
  )
})

test('the server gets its own names, also if the model already used them', () => {
  const { schema, names } = modelSchema(object({ $top: text, _top: text, 'a b': text }))
  expect(Object.keys(schema.properties).sort()).toEqual(['_top', '_top_2', 'a_b'])
  expect(withServerNames({ _top: '1', _top_2: '2', a_b: '3' }, names)).toEqual({ _top: '1', $top: '2', 'a b': '3' })
  expect(withServerNames({ $top: '2' }, names)).toEqual({ $top: '2' })
  expect(withServerNames('text', names)).toBe('text')
})

test('no schema of any form is refused', () => {
  const random = createRng(7)
  const words = [
    ...['type', 'properties', 'required', 'items', 'prefixItems', 'anyOf', 'oneOf', 'allOf', 'not', 'if', 'then', 'enum', 'const', '$ref'],
    ...[
      '$defs',
      'format',
      'pattern',
      'default',
      'additionalProperties',
      'description',
      'minimum',
      'exclusiveMinimum',
      'title',
      '__proto__',
    ],
  ]
  const any = (levels: number): unknown => {
    const kind = random.next()
    if (levels === 0 || kind < 0.3)
      return random.pick([
        null,
        true,
        false,
        0,
        -1,
        '',
        'string',
        'object',
        'array',
        '#',
        '#/',
        '#/$defs/a',
        '#/properties/%',
        [],
        {},
        '\ud800',
      ])
    if (kind < 0.5) return Array.from({ length: 3 }, () => any(levels - 1))
    return Object.fromEntries(Array.from({ length: 3 }, () => [random.pick([...words, 'a', 'ä', '']), any(levels - 1)]))
  }
  for (let run = 0; run < 1000; run++) {
    const schema = any(5)
    if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) continue
    const { schema: given } = modelSchema(schema as Json)
    expect(schemaRefusals(given), JSON.stringify(schema).slice(0, 500)).toEqual([])
  }
})

const number = { type: 'number' }
test.each<[string, Json, unknown]>([
  ['a tuple with a rest', object({ a: { type: 'array', prefixItems: [text], items: number } }), { a: ['x', 1, 2] }],
  ['a tuple with any rest', object({ a: { type: 'array', prefixItems: [text] } }), { a: ['x', true] }],
  ['names by a pattern', object({}, { patternProperties: { '^n': number }, additionalProperties: text }), { n: 1, a: 'x' }],
  ['a list', { type: 'array', items: number }, [1, 2]],
  ['properties without a type', object({ a: { properties: { b: number } } }), { a: 'x' }],
  ['one of several parts', { allOf: [object({ a: text }), object({ b: number }, { required: ['b'] })] }, { a: 'x', b: 1 }],
  ['one of several types', object({ a: { type: ['string', 'null'] } }), { a: null }],
  ['a pattern that takes for ever', object({ a: { type: 'string', pattern: '^(a+)+$' } }), { a: 'aaa' }],
])('a result that fits the schema of its tool fits the loose schema: %s', (_, schema, result) => {
  expect([fitsSchema(schema, result), fitsSchema(looseSchema(schema), result)]).toEqual([true, true])
})

test.each<[string, Json, unknown]>([
  ['another type', object({ a: number }), { a: 'x' }],
  ['a missing property', object({ a: number }, { required: ['a'] }), {}],
  ['another kind of value', { type: 'array', items: number }, { a: 1 }],
  ['an entry of another type', { type: 'array', items: number }, ['x']],
])('a result with %s does not fit it', (_, schema, result) => expect(fitsSchema(looseSchema(schema), result)).toBe(false))

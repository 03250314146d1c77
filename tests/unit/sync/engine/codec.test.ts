import { describe, expect, test } from 'vitest'
import { rowKeyOf, toKeyValues, toStoredRow, toWireID, toWireRow } from '../../../../worker/sync/engine/codec.ts'
import type { Row, Table } from '../../../../worker/sync/engine/types.ts'

const table: Table = {
  name: 'thing',
  columns: {
    id: { type: 'string' },
    on: { type: 'boolean' },
    size: { type: 'number', optional: true },
    meta: { type: 'json', optional: true },
    note: { type: 'string', optional: true },
  },
  primaryKey: ['id', 'on'],
}

describe('[E14] wire rows and columns', () => {
  test.each<[string, Row, object]>([
    [
      'all types',
      { id: 'a', on: true, size: 1.5, meta: { a: [1, null] }, note: 'x' },
      { id: 'a', on: 1, size: 1.5, meta: '{"a":[1,null]}', note: 'x' },
    ],
    ['nulls', { id: 'a', on: false, size: null, meta: null, note: null }, { id: 'a', on: 0, size: null, meta: null, note: null }],
    ['falsy values', { id: '', on: false, size: 0, meta: false, note: '' }, { id: '', on: 0, size: 0, meta: 'false', note: '' }],
  ])('%s', (_, wire, stored) => {
    expect(toStoredRow(table, wire)).toEqual(stored)
    expect(toWireRow(table, toStoredRow(table, wire))).toEqual(wire)
  })

  test('missing optional columns are null, unknown ones are left out', () => {
    expect(toStoredRow(table, { id: 'a', on: true, extra: 1 })).toEqual({ id: 'a', on: 1, size: null, meta: null, note: null })
  })

  test.each<[string, Row]>([
    ['a missing required column', { id: 'a' }],
    ['a null in a required column', { id: null, on: true }],
    ['a number as text', { id: 'a', on: true, size: '1' }],
    ['a boolean as number', { id: 'a', on: 1 }],
    ['an infinite number', { id: 'a', on: true, size: Number.POSITIVE_INFINITY }],
  ])('%s is refused', (_, row) => {
    expect(() => toStoredRow(table, row)).toThrow(TypeError)
  })

  test('a lone surrogate is stored as SQLite returns it', () => {
    expect(toStoredRow(table, { id: '\ud800', on: true }).id).toBe('\ufffd')
  })

  test('keys have the order of the primary key, ids the wire types', () => {
    const stored = toStoredRow(table, { on: true, id: 'a' })
    expect(rowKeyOf(table, stored)).toBe('["a",1]')
    expect(toKeyValues(table, { on: true, id: 'a' })).toEqual(['a', 1])
    expect(toWireID(table, stored)).toEqual({ id: 'a', on: true })
    expect(() => toKeyValues(table, { id: 'a' })).toThrow(TypeError)
  })
})

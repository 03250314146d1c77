// The meaning of D1's messages. The guards' texts are checked against the real D1 in tests/workerd/db/guards.test.ts.
import { describe, expect, test } from 'vitest'
import { classifyD1Error, guardCodes } from '../../../worker/db/errors.ts'
import { lastingD1Errors, transientD1Errors } from '../../support/d1-errors.ts'

test.each(guardCodes)('%s', (code) => {
  expect(classifyD1Error(new Error(`D1_ERROR: ${code}: SQLITE_CONSTRAINT`))).toEqual({ kind: 'guard', code })
})

describe('the documented errors that a retry may resolve', () => {
  test.each(transientD1Errors)('%s', (message) => {
    expect(classifyD1Error(new Error(message))).toEqual({ kind: 'transient' })
  })
})

test.each([...lastingD1Errors, 'D1_ERROR: no such table: threads: SQLITE_ERROR', 'TypeError'])('%s would recur', (message) => {
  expect(classifyD1Error(new Error(message))).toEqual({ kind: 'unknown' })
})

test('a duplicate key error names its columns', () => {
  expect(classifyD1Error(new Error('D1_ERROR: UNIQUE constraint failed: member.organizationId, member.userId: SQLITE_CONSTRAINT'))).toEqual(
    {
      kind: 'unique',
      columns: ['member.organizationId', 'member.userId'],
    },
  )
})

test('user text cannot imitate a guard', () => {
  const wrapped = new Error('Failed query: insert into message values (?)\nparams: stale_mutation', {
    cause: new Error('D1_ERROR: D1 DB is overloaded. Too many requests queued.'),
  })
  expect(classifyD1Error(wrapped)).toEqual({ kind: 'transient' })
})

test('any value can be thrown', () => {
  for (const thrown of [undefined, null, 'text', { message: 'stale_mutation' }])
    expect(classifyD1Error(thrown)).toEqual({ kind: 'unknown' })
})

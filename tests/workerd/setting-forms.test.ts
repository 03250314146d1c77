// The headers for a collector, with the Headers of workerd, which accept an empty name.
import { expect, test } from 'vitest'
import { headersOf } from '../../worker/setting-forms.ts'

test.each([
  ['', null],
  ['key', null],
  ['a=1,', null],
  ['api-key=x%20y=, other=2', { 'api-key': 'x y=', other: '2' }],
])('headers of "%s"', (list, headers) => {
  expect(headersOf(list)).toEqual(headers)
})

import { expect, test } from 'vitest'
import { parseCallbackUrl } from '../../../web/lib/callback-url.ts'

test.each([
  ['/', '/'],
  ['/account/subscription?from=dialog#plan', '/account/subscription?from=dialog#plan'],
  ['/api/checkout', '/api/checkout'],
])('%s stays', (value, expected) => {
  expect(parseCallbackUrl(value)).toBe(expected)
})

test.each([
  undefined,
  null,
  7,
  '',
  'account',
  'https://evil.example',
  '//evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  'javascript:alert(1)',
  ' //evil.example',
])('%j is home', (value) => {
  expect(parseCallbackUrl(value)).toBe('/')
})

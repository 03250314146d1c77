// No redirect leads to another site by an address that resembles a path.
import { expect, test } from 'vitest'
import { ownPath } from '../../../worker/contract/own-path.ts'

const origin = 'https://parley.test'

test.each([
  ['/', '/'],
  ['/account/subscription?from=dialog#plan', '/account/subscription?from=dialog#plan'],
  ['/api/checkout', '/api/checkout'],
  ['account', '/account'],
  [`${origin}/account`, '/account'],
])('%s stays', (value, expected) => {
  expect(ownPath(value, origin, '/home')).toBe(expected)
})

test.each([
  undefined,
  null,
  7,
  '',
  'https://evil.example',
  'http://parley.test/',
  'https://parley.test.evil.example/',
  'https://parley.test@evil.example/',
  '//evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  'javascript:alert(1)',
  ' //evil.example',
])('%j becomes the home page', (value) => {
  expect(ownPath(value, origin, '/home')).toBe('/home')
})

test.each([
  '/.//evil.example',
  '/..//evil.example',
  '/x/..//evil.example',
  '/%2e//evil.example',
  '/.\\\\evil.example',
  '/.///evil.example',
])('the result for %s is a path for every later parser', (value) => {
  const path = ownPath(value, origin, '/home')
  expect(path).toBe('/evil.example')
  expect(new URL(path, origin).origin).toBe(origin)
})

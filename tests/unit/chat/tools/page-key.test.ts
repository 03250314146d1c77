import { expect, test } from 'vitest'
import { hasCredentials, pageKey } from '../../../../worker/chat/tools/reading-rights.ts'

test.each([
  ['https://www.wikipedia.org/wiki/Tide/#top', 'http://wikipedia.org/wiki/Tide'],
  ['https://wikipedia.org', 'https://wikipedia.org/'],
])('%s and %s are the same page', (a, b) => {
  expect(pageKey(a)).toBe(pageKey(b))
})

test('the query string distinguishes pages', () => {
  expect(pageKey('https://wikipedia.org/?q=secret')).not.toBe(pageKey('https://wikipedia.org/'))
})

test.each(['nonsense', '', `https://wikipedia.org/${'a'.repeat(2000)}`])('%j has no key', (text) => {
  expect(pageKey(text)).toBeNull()
})

test.each([
  ['https://ada@wikipedia.org/', true],
  ['https://:secret@wikipedia.org/', true],
  ['https://wikipedia.org/@ada', false],
  ['nonsense', false],
])('credentials in %s: %j', (url, expected) => {
  expect(hasCredentials(url)).toBe(expected)
})

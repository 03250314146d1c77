import { describe, expect, test } from 'vitest'
import { isFootnoteAnchor, isOwnImage, safeHref } from '../../../../web/ui/markdown/safe-url.ts'

describe('links lead to the web or to a mailbox and nowhere else', () => {
  test.each([
    ['https://example.com/a?b#c', 'https://example.com/a?b#c'],
    ['HTTP://EXAMPLE.com', 'http://example.com/'],
    ['mailto:a@example.com', 'mailto:a@example.com'],
  ])('%s', (url, href) => expect(safeHref(url)).toBe(href))

  test.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    ' javascript:alert(1)',
    'java\tscript:alert(1)',
    '\u0000javascript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:x',
    'file:///etc/passwd',
    'blob:https://example.com/1',
    '//example.com',
    '/api/auth/sign-out',
    '#top',
    'https://',
    'tel:1',
    '',
    undefined,
  ])('not %j', (url) => expect(safeHref(url)).toBeNull())
})

describe('images are fetched from nobody else', () => {
  test.each(['/api/files/1.png', 'data:image/png;base64,AAAA'])('%s', (url) => expect(isOwnImage(url)).toBe(true))
  test.each([
    'https://example.com/a.png',
    '//example.com/a.png',
    '/\\example.com/a.png',
    'data:image/svg+xml;base64,AAAA',
    'data:text/html;base64,AAAA',
    'a.png',
    '',
  ])('not %j', (url) => expect(isOwnImage(url)).toBe(false))
})

test('only footnote anchors stay on the page', () => {
  expect(isFootnoteAnchor('#user-content-fn-1')).toBe(true)
  expect(isFootnoteAnchor('#user-content-fnref-1')).toBe(true)
  expect(isFootnoteAnchor('#thread')).toBe(false)
  expect(isFootnoteAnchor(undefined)).toBe(false)
})

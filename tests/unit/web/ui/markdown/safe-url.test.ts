import { describe, expect, test } from 'vitest'
import { diagramNamesAddress, isFootnoteAnchor, isOwnImage, safeHref } from '../../../../../web/ui/markdown/safe-url.ts'

describe('links lead to the web or to a mailbox only', () => {
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

describe('only stored files and data: images load without a click', () => {
  test.each(['/api/files/V1StGXR8_Z5jdHi6B-myT', '/api/files/V1StGXR8_Z5jdHi6B-myT/thumbnail', 'data:image/png;base64,AAAA'])('%s', (url) =>
    expect(isOwnImage(url)).toBe(true),
  )
  test.each([
    'https://example.com/a.png',
    '//example.com/a.png',
    '/\\example.com/a.png',
    'data:image/svg+xml;base64,AAAA',
    'data:text/html;base64,AAAA',
    'a.png',
    '/a.png',
    '/api/checkout',
    '/api/files/../checkout',
    '/api/files/%2e%2e%2fcheckout',
    '/api/files/1?x=/api/checkout',
    '/api/account/export',
    '',
  ])('not %j', (url) => expect(isOwnImage(url)).toBe(false))
})

test('only footnote anchors stay on the page', () => {
  expect(isFootnoteAnchor('#user-content-fn-1')).toBe(true)
  expect(isFootnoteAnchor('#user-content-fnref-1')).toBe(true)
  expect(isFootnoteAnchor('#thread')).toBe(false)
  expect(isFootnoteAnchor(undefined)).toBe(false)
})

describe('a diagram loads no file', () => {
  test.each([
    'flowchart LR\n  A@{ img: "/api/checkout" } --> B',
    'flowchart LR\n  A@{ "img": "/api/checkout" } --> B',
    "flowchart LR\n  A@{ 'img': /api/checkout } --> B",
    'flowchart LR\n  A@{ "\\x69mg": "/api/checkout" } --> B',
    'flowchart LR\n  A@{ label: &key img, *key : "/api/checkout" } --> B',
    'flowchart LR\n  A@{ ? img\n  #\n  : "/api/checkout" } --> B',
    'flowchart LR\n  A@{ "shape: a, label: " : x, "img" : "/api/checkout", ", label: "": a } --> B',
    'flowchart LR\n  A@{ shape: rect } --> B@{ "img": "/api/checkout" }',
    'flowchart LR; A-->B; style A fill:\\75rl(/api/checkout)',
    'sequenceDiagram\n  participant A\n  properties A: {"icon": "/api/checkout"}',
    'sequenceDiagram properties A: {"icon": "/api/checkout"}',
    'sequenceDiagram\n  A->>B: hello; Properties A: {"icon": "/api/checkout"}',
    'sequenceDiagram\n  participant A\n  details A: an-element',
  ])('refused: %j', (code) => expect(diagramNamesAddress(code)).toBe(true))

  test.each([
    'flowchart LR\n  A@{ shape: rounded, label: "Read: 1, 2" } --> B@{ shape: "cyl", label: Größe der Datei }',
    'flowchart LR\n  A@{\n    shape: rect\n    label: "Ask"\n  }\n  e1@{ animate: true }\n  A e1@--> B',
    'flowchart LR\n  A[Choose a style] --> B{Which properties?}\n  style A fill:#fff,stroke:#333',
    'sequenceDiagram\n  participant A@{ "type": "database" }\n  A->>B: send the details: name and address\n  Note over A: properties: none',
  ])('allowed: %j', (code) => expect(diagramNamesAddress(code)).toBe(false))

  test('is decided in linear time', () => {
    const code = `flowchart LR\n  A@{ ${'shape: a , \n , '.repeat(500)}`
    expect(diagramNamesAddress(code)).toBe(true)
  })
})

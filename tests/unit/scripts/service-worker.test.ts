// The files that the service worker stores, and the addresses it serves.
import { expect, test } from 'vitest'
import { storedFiles } from '../../../scripts/lib/service-worker.ts'
import { isPage } from '../../../web/service-worker/paths.ts'

const rich = 'ui/markdown/rich-markdown.tsx'
const manifest = {
  'index.html': { file: 'assets/index.js', css: ['assets/index.css'], assets: ['assets/font.woff2'], dynamicImports: ['thread.tsx'] },
  'thread.tsx': { file: 'assets/thread.js', imports: ['index.html'], dynamicImports: [rich] },
  [rich]: { file: 'assets/rich.js', imports: ['_lexer.js'], dynamicImports: ['mermaid.ts'] },
  '_lexer.js': { file: 'assets/lexer.js' },
  'mermaid.ts': { file: 'assets/mermaid.js' },
}

test('stores the code, styles and fonts of every page, without the libraries of single answers', () => {
  const files = ['font.woff2', 'index.css', 'index.js', 'lexer.js', 'rich.js', 'thread.js']
  expect(storedFiles(manifest)).toEqual(files.map((file) => `/assets/${file}`))
})

test('fails if the build has no chunk of that name', () => {
  expect(() => storedFiles({ 'index.html': { file: 'assets/index.js' } })).toThrow(`no chunk for ${rich}`)
})

test.each([
  ['/', true],
  ['/a-thread', true],
  ['/account/models', true],
  ['/apiary', true],
  ['/api/checkout', false],
  ['/api', false],
  ['/_serverFn/first-page', false],
  ['/sync/v51/connect', false],
  ['/magic-link', false],
  ['/assets/index.js', false],
])('%s is a page: %s', (pathname, expected) => {
  expect(isPage(pathname)).toBe(expected)
})

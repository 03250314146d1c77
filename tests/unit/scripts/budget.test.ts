// The first-load budget: the counted files, and that exceeding it is detected.
import { describe, expect, test } from 'vitest'
import { report, staticClosure } from '../../../scripts/lib/budget.ts'

const manifest = {
  'index.html': { file: 'assets/index.js', imports: ['_react.js'], dynamicImports: ['routes/index.tsx', 'routes/login.tsx'] },
  '_react.js': { file: 'assets/react.js', imports: ['_react.js'] },
  'routes/index.tsx': { file: 'assets/home.js', imports: ['index.html', '_markdown.js'] },
  '_markdown.js': { file: 'assets/markdown.js' },
  'routes/login.tsx': { file: 'assets/login.js' },
}

describe('the static closure', () => {
  test('follows static imports, counts a chunk once, and excludes dynamic imports', () => {
    expect(staticClosure(manifest, ['index.html'])).toEqual(['assets/index.js', 'assets/react.js'])
    expect(staticClosure(manifest, ['index.html', 'routes/index.tsx'])).toEqual([
      'assets/index.js',
      'assets/react.js',
      'assets/home.js',
      'assets/markdown.js',
    ])
  })

  test('a missing entry is an error instead of an empty result', () => {
    expect(() => staticClosure(manifest, ['routes/gone.tsx'])).toThrow('no chunk for routes/gone.tsx')
  })
})

test.each([
  [1000, true],
  [999, false],
])('two chunks of 500 bytes in a budget of %i', (maxBytes, isWithin) => {
  const sizes = [
    { file: 'a.js', rawBytes: 900, brotliBytes: 500 },
    { file: 'b.js', rawBytes: 900, brotliBytes: 500 },
  ]
  expect(report(sizes, { name: 'before it is ready', maxBytes }).isWithin).toBe(isWithin)
})

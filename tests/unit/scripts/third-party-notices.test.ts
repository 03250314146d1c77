// The licences of the packages in the page and in the Worker.
import { expect, test } from 'vitest'
import { noticesOf, packagesOfFiles } from '../../../scripts/lib/third-party-notices.ts'

test('lists each package once, in order, with its licence', () => {
  const zod = { name: 'zod', version: '4.0.0', identifier: 'MIT', text: 'Copyright Ada' }
  const text = noticesOf([zod, { name: 'hono', version: '4.1.0', identifier: 'MIT' }, zod])
  expect(text.match(/^(?:zod|hono) .*/gm)).toEqual(['hono 4.1.0', 'zod 4.0.0'])
  expect(text).toContain('zod 4.0.0\nLicence: MIT\n\nCopyright Ada\n')
})

test('fails for a package without a licence', () => {
  expect(() => noticesOf([{ name: 'unknown', version: '1.0.0' }])).toThrow('unknown in the build has no licence')
})

test('finds the packages of fonts in the build', () => {
  const font = '../node_modules/@fontsource-variable/geist/files/geist-latin-wght-normal.woff2'
  expect(packagesOfFiles({ [font]: { file: 'assets/a.woff2' }, 'app.tsx': { file: 'assets/app.js' } })).toEqual([
    '@fontsource-variable/geist',
  ])
})

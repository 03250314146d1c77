// The parser of wrangler.jsonc follows the rules of JSON with comments.
import { expect, test } from 'vitest'
import { wranglerFile } from '../../../scripts/lib/paths.ts'
import { readWranglerConfig, stripJsonComments } from '../../../scripts/lib/wrangler-config.ts'

test.each([
  ['{ "a": 1 // one\n}', { a: 1 }],
  ['{ /* two\nlines */ "a": 1 }', { a: 1 }],
  ['{ "url": "https://example.com/*", }', { url: 'https://example.com/*' }],
  ['["a,]", "quoted \\" // still text", ]', ['a,]', 'quoted " // still text']],
])('%s', (text, value) => {
  expect(JSON.parse(stripJsonComments(text))).toEqual(value)
})

test('the real file is parsed', () => {
  expect(readWranglerConfig(wranglerFile)).toMatchObject({
    name: 'parley',
    d1_databases: [{ binding: 'DB' }],
    vars: { ENVIRONMENT: 'production' },
  })
})

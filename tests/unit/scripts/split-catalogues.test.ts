// Which texts a module of the page shows, by its source. The build loads only these with the module.
import { expect, test } from 'vitest'
import { keysIn } from '../../../scripts/lib/compile-texts.ts'

test.each([
  ['calls', "t('one') + t.rich('two', { b: (text) => text })", ['one', 'two']],
  ['conditions', "t(isOpen ? 'one' : mode === 'chat' ? 'two' : 'three', { name })", ['one', 'two', 'three']],
  ['other names', "format('a').t(key); list(key); don't; t('one')", ['one']],
  ['code after an asterisk', "accept('image/*'); t('one') /** ends here */", ['one']],
])('finds the keys of %s', (_, source, keys) => {
  expect(keysIn(`import { t } from './texts/t.ts'\n${source}`, 't')).toEqual(keys)
})

test.each([
  't(key)',
  't(names[kind])',
  't(`mode`)',
  "t(isOpen ? 'one' : key)",
  'titleOf(thread, t)',
  'const translate = t',
  "import { t as other } from './t.ts'; t('one')",
  'const at = 1',
])('needs the whole catalogue for %s', (source) => expect(keysIn(source, 't')).toBeNull())

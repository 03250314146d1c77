// Which texts a module of the page shows, by its source. The build compiles these, and loads only these with the module.
import compile from 'icu-minify/compile'
import { expect, test } from 'vitest'
import { compileCatalogue, nameKeys } from '../../../scripts/lib/compile-texts.ts'

const named = (code: string) => nameKeys(code, 'module.tsx')

test.each([
  ['calls', "t('one') + t.rich('two', { b: (text) => <b>{text}</b> })", 'one,two'],
  ['conditions', "t(isOpen ? 'one' : mode === 'chat' ? 'two' : 'three', { name })", 'one,two,three'],
  ['a part of a page', "const part = <p title={t('one')}>{list(key)} don't</p>", 'one'],
  ['code after an asterisk', "accept('image/*'); t('one') /** ends here */", 'one'],
])('finds the keys of %s', (_, code, keys) => {
  expect(named(`import { t } from './texts/en.ts'\n${code}`)).toBe(`import { t } from './texts/en.ts?keys=${keys}'\n${code}`)
})

test('finds the keys of each of two catalogues, also of one that is renamed', () => {
  const code = "import { t } from './texts/en.ts'\nimport { t as other } from '../texts/en.ts'\nt('one')\nother('two')"
  expect(named(code)).toBe(
    "import { t } from './texts/en.ts?keys=one'\nimport { t as other } from '../texts/en.ts?keys=two'\nt('one')\nother('two')",
  )
})

test.each([
  't(key)',
  't(names[kind])',
  't(`mode`)',
  "t(isOpen ? 'one' : key)",
  "titleOf(thread, t); t('one')",
  "const translate = t; t('one')",
])('needs the whole catalogue for %s', (code) => {
  const module = `import { t } from './texts/en.ts'\n${code}`
  expect(named(module)).toBe(module)
})

test('a catalogue has the compiled texts of the keys, and keeps the rest of its module', () => {
  const rest = "export const t = catalogue('name', en)"
  const catalogue = (texts: string) => `export const en = ${texts} as const\n${rest}`
  const code = catalogue("{ one: 'One', 'two-parts': '{name} of {count, number}', three: 'Three' }")
  expect(compileCatalogue(code, 'en.ts', ['one', 'two-parts'])).toBe(
    catalogue(JSON.stringify({ one: compile('One'), 'two-parts': compile('{name} of {count, number}') })),
  )
  expect(compileCatalogue(code, 'en.ts')).toContain('"three":"Three"')
  expect(() => compileCatalogue(catalogue('{ one: other }'), 'en.ts')).toThrow()
})

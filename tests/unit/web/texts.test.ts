// The catalogues of texts: English and German have the same keys and arguments, and no text is written in a component.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import compile from 'icu-minify/compile'
import { describe, expect, test } from 'vitest'
import { rootDir } from '../../../scripts/lib/paths.ts'
import { german } from '../../../web/german.ts'
import { germanModelDescriptions } from '../../../web/lib/german-model-descriptions.ts'
import { catalogueRows } from '../../support/migrated-db.ts'

type Texts = Readonly<Record<string, string>>

const folders = globSync('{web,worker}/**/texts', { cwd: rootDir }).sort()

const textsIn = async (folder: string, language: 'en' | 'de'): Promise<Texts> =>
  ((await import(join(rootDir, folder, `${language}.ts`))) as Record<string, Texts>)[language] ?? {}

/** Names of the arguments and tags. Options of a plural also stand in braces. */
const argumentsOf = (text: string): readonly string[] =>
  [...new Set([...text.matchAll(/(?<!\b(?:one|other) |=\d )\{(\w+)(?=[},])|<(\w+)>/g)].map(([, name, tag]) => name ?? tag ?? ''))].sort()

test('there are catalogues', () => expect(folders.length).toBeGreaterThan(10))

describe.each(folders)('%s', (folder) => {
  test('has the same keys in German', async () => {
    const [en, de] = [await textsIn(folder, 'en'), await textsIn(folder, 'de')]
    expect(Object.keys(de).sort()).toEqual(Object.keys(en).sort())
  })

  test('has the same arguments in German, and valid syntax', async () => {
    const [en, de] = [await textsIn(folder, 'en'), await textsIn(folder, 'de')]
    for (const [key, text] of Object.entries(en)) {
      expect(argumentsOf(de[key] ?? ''), key).toEqual(argumentsOf(text))
      for (const translation of [text, de[key] ?? '']) expect(() => compile(translation), key).not.toThrow()
    }
  })

  // The server has the texts of its pages and mails in both languages.
  test.skipIf(/^worker\/(?:page|auth)\//.test(folder))('is loaded with the German texts', async () => {
    const de = await textsIn(folder, 'de')
    expect(Object.values(german).some((texts: Texts) => texts === de)).toBe(true)
  })
})

test('every text is used', async () => {
  // Guards of the database raise some codes of refusals.
  const modules = globSync(['{web,worker}/**/*.{ts,tsx}', 'migrations/*.sql'], {
    cwd: rootDir,
    exclude: (path) => path.includes('/texts/') || path.endsWith('/texts'),
  })
  const code = modules.map((path) => readFileSync(join(rootDir, path), 'utf8')).join('\n')
  // As a string, as `text.key` on the server, or as the name of a number, such as a lifetime.
  const used = new Set([...code.matchAll(/['"]([\w-]+)['"]|\btext\.(\w+)|\b(\w+): \d/g)].flatMap((found) => found.slice(1)))
  const endings = [...code.matchAll(/`\$\{\w+\}([A-Z]\w+)`/g)].map(([, ending]) => ending ?? '')
  const unused = []
  // The codes of the other catalogue come from better-auth.
  for (const folder of folders.filter((path) => path !== 'web/lib/auth-refusals/texts'))
    for (const key of Object.keys(await textsIn(folder, 'en')))
      if (!used.has(key) && !endings.some((ending) => key.endsWith(ending))) unused.push(`${folder}:${key}`)
  expect(unused).toEqual([])
})

test('every catalogue has the name of its German texts', () => {
  const names = globSync('web/**/*.ts', { cwd: rootDir }).flatMap((path) => [
    ...readFileSync(join(rootDir, path), 'utf8').matchAll(/ = catalogue\('(\w+)'/g),
  ])
  expect([...names.map(([, name]) => name), 'modelDescriptions'].sort()).toEqual(Object.keys(german).sort())
})

test('every model of the catalogue and every server of models has a German description', () => {
  const ids = [...catalogueRows().map(({ id }) => id), 'openrouter', 'ollama', 'compatible']
  // tests/unit/chat/refresh-catalogue.test.ts compares those of Workers AI with its list.
  const described = Object.keys(germanModelDescriptions).filter((id) => !id.startsWith('workers-ai:'))
  expect(described.sort()).toEqual(ids.sort())
})

test('no attribute of a component contains a text', () => {
  const attribute =
    /\s(?:label|title|description|placeholder|tooltip|heading|action|note|alt|aria-label|aria-description)="(?!name@example\.com")[^"]*\p{L}{2}[^"]*"/gu
  const found = globSync('web/{features,ui,routes}/**/*.tsx', { cwd: rootDir }).flatMap((path) =>
    [...readFileSync(join(rootDir, path), 'utf8').matchAll(attribute)].map(([text]) => `${path}:${text}`),
  )
  expect(found).toEqual([])
})

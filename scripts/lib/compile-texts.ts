// Texts of a build. `compileTexts` compiles their ICU syntax, so that no visitor downloads the parser: in development and in tests `use-intl`
// parses them. `splitCatalogues` gives each module of the page only the English texts that it shows, so that texts load with their module.
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import compile from 'icu-minify/compile'
import type { Plugin } from 'vite'

type Texts = Record<string, string>

const textFiles = /[\\/]texts[\\/](?:en|de)\.ts$/

export const compileTexts: Plugin = {
  name: 'parley:compile-texts',
  apply: 'build',
  enforce: 'pre',
  // The Worker compiles its few texts when it starts.
  applyToEnvironment: ({ name }) => name === 'client',
  config: () => ({ resolve: { alias: { 'use-intl/format-message': 'use-intl/format-message/format-only' } } }),
  load: {
    filter: { id: textFiles },
    async handler(file) {
      const module: Record<string, Texts> = await import(pathToFileURL(file).href)
      return Object.entries(module)
        .map(([name, texts]) => `export const ${name} = ${JSON.stringify(compileAll(texts))}`)
        .join('\n')
    },
  },
}

const compileAll = (texts: Texts) => Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, compile(text)]))

/** Modules that declare a catalogue. */
const catalogueFiles = /(?:[\\/]texts[\\/]t|[\\/]first-paint-text)\.ts$/

/** One module per importer. The text after `=` is the path of the importer; a slash in it would change what relative imports mean. */
const split = /^(.+\.ts)\?shown-by=(.+)$/

export const splitCatalogues: Plugin = {
  name: 'parley:split-catalogues',
  apply: 'build',
  enforce: 'pre',
  applyToEnvironment: ({ name }) => name === 'client',
  resolveId: {
    filter: { id: catalogueFiles },
    handler(source, importer) {
      if (!importer) return null
      const by = importer.replace(/\?.*$/, '')
      const file = resolve(dirname(by), source)
      // The whole catalogue, if the keys are not known.
      return keysIn(readFileSync(by, 'utf8'), declarationIn(file).local) === null ? file : `${file}?shown-by=${encodeURIComponent(by)}`
    },
  },
  load: {
    filter: { id: split },
    async handler(id) {
      const [, file = '', encoded = ''] = split.exec(id) ?? []
      const importer = decodeURIComponent(encoded)
      const { source, local, english } = declarationIn(file)
      const { en: all } = (await import(pathToFileURL(resolve(dirname(file), english)).href)) as { readonly en: Texts }
      const keys = keysIn(readFileSync(importer, 'utf8'), local) ?? []
      const texts = Object.fromEntries(keys.map((key) => [key, all[key] ?? this.error(`${importer} shows a text without a key: ${key}`)]))
      return source.replace(/import \{ en \} from .+/, '').replace(', en)', `, ${JSON.stringify(compileAll(texts))})`)
    },
  },
}

/** `local`: the name of the function. `english`: the path of its texts. */
function declarationIn(file: string): { readonly source: string; readonly local: string; readonly english: string } {
  const source = readFileSync(file, 'utf8')
  const [, local] = /export const (\w+) = catalogue\('\w+', en\)/.exec(source) ?? []
  const [, english] = /from '(.+\/en\.ts)'/.exec(source) ?? []
  if (!local || !english) throw new Error(`${file} declares no catalogue`)
  return { source, local, english }
}

/** The keys of all calls. Null if a call computes its key, if the function is used otherwise, or if no call is found. */
export function keysIn(source: string, local: string): readonly string[] | null {
  // Comments stay: a string such as `image/*` would look like the beginning of one.
  const code = source.replace(/^import .+$/gm, '')
  // Imported by another name.
  if (new RegExp(`\\b${local} as \\w`).test(source)) return null
  const uses = code.matchAll(new RegExp(`(?<![\\w.$'’-])${local}(?:\\.rich)?(?![\\w$:'-])`, 'g'))
  const keys = new Set<string>()
  for (const { index, 0: use } of uses) {
    const argument = firstArgument(code, index + use.length)
    if (argument === null || !staticKey.test(argument)) return null
    for (const [, key = ''] of argument.matchAll(keyOfBranch)) keys.add(key)
  }
  return keys.size === 0 ? null : [...keys]
}

/** `'key'`, or `condition ? 'key' : 'other'`. */
const staticKey = /^\s*(?:[^?:]+\?\s*'[\w-]+'\s*:\s*)*'[\w-]+'\s*$/
const keyOfBranch = /(?:^|[?:])\s*'([\w-]+)'/g

/** Text from the opening parenthesis to the first comma, or to the end of the call. */
function firstArgument(code: string, start: number): string | null {
  if (code[start] !== '(') return null
  let depth = 0
  for (let at = start; at < code.length; at++) {
    const character = code[at] ?? ''
    if ('([{'.includes(character)) depth++
    if (')]}'.includes(character)) depth--
    if (depth === 0 || (depth === 1 && character === ',')) return code.slice(start + 1, at)
  }
  return null
}

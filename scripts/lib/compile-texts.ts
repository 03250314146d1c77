// Texts of a build. `compileTexts` compiles their ICU syntax, so that no visitor downloads the parser: in development and in tests `use-intl`
// parses them. `splitCatalogues` gives each module of the page only the English texts that it shows, so that texts load with their module.
import { readFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import compile from 'icu-minify/compile'
import { type ESTree, type Plugin, parseSync, Visitor } from 'vite'

type Texts = Record<string, string>

/** A catalogue that is split has the keys of the importing module in the query of its address: `t.ts?keys=send,stop`. */
const textFile = /^(?<file>.+[\\/]texts[\\/](?:en|de)\.ts)(?:\?keys=(?<keys>.+))?$/
const splitCatalogue = /^(?<file>.+[\\/]texts[\\/]t\.ts)\?keys=(?<keys>.+)$/
const catalogueImport = /\/texts\/t\.ts$/

export const compileTexts: Plugin = {
  name: 'parley:compile-texts',
  apply: 'build',
  enforce: 'pre',
  // The Worker compiles its few texts when it starts.
  applyToEnvironment: ({ name }) => name === 'client',
  config: () => ({ resolve: { alias: { 'use-intl/format-message': 'use-intl/format-message/format-only' } } }),
  load: {
    filter: { id: textFile },
    async handler(id) {
      const { file = '', keys } = textFile.exec(id)?.groups ?? {}
      const module: Record<string, Texts> = await import(pathToFileURL(file).href)
      return Object.entries(module)
        .map(([name, texts]) => `export const ${name} = ${JSON.stringify(compileAll(texts, keys?.split(',') ?? Object.keys(texts)))}`)
        .join('\n')
    },
  },
}

const compileAll = (texts: Texts, keys: readonly string[]) => Object.fromEntries(keys.map((key) => [key, compile(texts[key] ?? '')]))

export const splitCatalogues: Plugin = {
  name: 'parley:split-catalogues',
  apply: 'build',
  enforce: 'pre',
  applyToEnvironment: ({ name }) => name === 'client',
  load: {
    filter: { id: splitCatalogue },
    async handler(id) {
      const { file = '', keys } = splitCatalogue.exec(id)?.groups ?? {}
      return (await readFile(file, 'utf8')).replace(/(?<=from '.+)\/en\.ts(?=')/, `/en.ts?keys=${keys}`)
    },
  },
  transform: {
    filter: { id: /\.tsx?(?:\?tsr-split=\w+)?$/, code: /texts\/t\.ts'/ },
    handler: (code, id) => ({ code: nameKeys(code, id.replace(/\?.*/, '')), map: null }),
  },
}

/** The source, with the keys of its calls in the addresses of the catalogues that it imports. */
export function nameKeys(code: string, file: string): string {
  const { program } = parseSync(file, code)
  const imports = program.body.filter((node) => node.type === 'ImportDeclaration')
  const rest = { ...program, body: program.body.filter((node) => node.type !== 'ImportDeclaration') }
  let result = code
  // From the end, so that the positions before stay valid.
  for (const { source, specifiers } of imports.toReversed()) {
    if (!catalogueImport.test(source.value)) continue
    const keys = specifiers.map(({ local }) => keysOf(rest, local.name))
    if (keys.includes(null)) continue
    const end = source.end - 1
    result = `${result.slice(0, end)}?keys=${[...new Set(keys.flat())]}${result.slice(end)}`
  }
  return result
}

/** The keys in all calls of a function. Null if a call computes its key, if the name occurs outside of calls, or if there is no call. */
function keysOf(program: ESTree.Program, name: string): readonly string[] | null {
  const keys: (string | null)[] = []
  let otherUses = 0
  new Visitor({
    Identifier: (node) => void (node.name === name && otherUses++),
    CallExpression({ callee, arguments: [key] }) {
      const called = callee.type === 'MemberExpression' ? callee.object : callee
      if (called.type !== 'Identifier' || called.name !== name) return
      otherUses--
      keys.push(...keysIn(key))
    },
  }).visit(program)
  return otherUses === 0 && keys.length > 0 && keys.every((key) => key !== null) ? keys : null
}

/** `'key'`, or `condition ? 'key' : 'other'`. Null for a computed key. */
function keysIn(node: ESTree.Argument | undefined): readonly (string | null)[] {
  if (node?.type === 'ConditionalExpression') return [...keysIn(node.consequent), ...keysIn(node.alternate)]
  return [node?.type === 'Literal' && typeof node.value === 'string' ? node.value : null]
}

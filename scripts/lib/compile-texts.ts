// Texts of a build. Their ICU syntax is compiled, so that no visitor downloads the parser: in development and in tests `use-intl` parses them.
// Each module of the page gets only the English texts that it shows, so that texts load with their module.
import compile from 'icu-minify/compile'
import { type ESTree, type Plugin, parseSync, Visitor } from 'vite'

/** The texts of a folder. The query has the keys that the importing module shows: `en.ts?keys=send,stop`. */
const catalogueFile = /[\\/]texts[\\/](?:en|de)\.ts(?:\?keys=(?<keys>.+))?$/
const catalogueImport = /\/texts\/en\.ts$/

export const compileTexts: Plugin = {
  name: 'parley:compile-texts',
  apply: 'build',
  enforce: 'pre',
  // The Worker compiles its few texts when it starts.
  applyToEnvironment: ({ name }) => name === 'client',
  config: () => ({ resolve: { alias: { 'use-intl/format-message': 'use-intl/format-message/format-only' } } }),
  transform: {
    filter: { id: /\.tsx?(?:\?keys=.+)?$/ },
    handler(code, id) {
      const file = id.replace(/\?.*/, '')
      const catalogue = catalogueFile.exec(id)
      if (catalogue) return { code: compileCatalogue(code, file, catalogue.groups?.keys?.split(',')), map: null }
      return code.includes("/texts/en.ts'") ? { code: nameKeys(code, file), map: null } : null
    },
  },
}

/** The source of a catalogue, with compiled texts. `keys`: omits all other texts. */
export function compileCatalogue(code: string, file: string, keys?: readonly string[]): string {
  let result = code
  new Visitor({
    ObjectExpression({ properties, start, end }) {
      const texts = properties.map(textOf).filter(([key]) => keys?.includes(key) ?? true)
      const compiled = Object.fromEntries(texts.map(([key, text]) => [key, compile(text)]))
      result = `${code.slice(0, start)}${JSON.stringify(compiled)}${code.slice(end)}`
    },
  }).visit(parseSync(file, code).program)
  return result
}

function textOf(property: ESTree.ObjectPropertyKind): readonly [key: string, text: string] {
  if (property.type === 'Property' && property.value.type === 'Literal' && typeof property.value.value === 'string') {
    const { key } = property
    if (key.type === 'Identifier') return [key.name, property.value.value]
    if (key.type === 'Literal') return [String(key.value), property.value.value]
  }
  throw new Error('a catalogue has only string literals')
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

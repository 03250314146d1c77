// `npm run generate`: writes the generated files. `--check` writes nothing and fails if a committed file is out of date.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type SettingDefinition, settingDefinitions } from '../worker/setting-definitions.ts'
import { fail } from './lib/console.ts'
import { feedMigration } from './lib/feed-triggers.ts'
import { devVarsExampleFile, migrationsDir, rootDir } from './lib/paths.ts'

/** Writes the text to the file, unless `check`. Returns whether the committed file was up to date. */
function generateFile(file: string, text: string, { check }: { check: boolean }): boolean {
  const isUpToDate = existsSync(file) && readFileSync(file, 'utf8') === text
  if (!check && !isUpToDate) writeFileSync(file, text)
  return isUpToDate
}

/** Writes a migration if the triggers of the migrations differ from worker/db/feed-tables.ts. Returns whether they were equal. */
function generateFeedTriggers({ check }: { check: boolean }): boolean {
  const migration = feedMigration()
  if (!check && migration) writeFileSync(join(migrationsDir, migration.name), migration.text)
  return migration === null
}

async function generate(check: boolean) {
  const results = {
    '.dev.vars.example': generateFile(devVarsExampleFile, devVarsExample(), { check }),
    'package.json (texts of the deploy button)': generateFile(packageFile, packageWithPrompts(), { check }),
    'web/ui/maker-icons.svg': generateFile(join(rootDir, 'web/ui/maker-icons.svg'), makerIcons(), { check }),
    'migrations (triggers of the feed)': generateFeedTriggers({ check }),
  }
  const stale = Object.entries(results).flatMap(([file, isUpToDate]) => (isUpToDate ? [] : [file]))
  if (check && stale.length > 0) throw new Error(`${stale.join(' and ')} out of date; run \`npm run generate\` and commit`)
}

const devVarsHeader = `# Every setting, one line each. \`npm start\` needs none of them: a missing setting is replaced by a stand-in, which GET /api/health lists.
# Copy this file to .dev.vars and remove the "# " before a NAME= to use it. In production each is a secret or a variable of the Worker.
# Cloudflare's deploy button asks for the settings without "# ". Here they may stay empty, which means unset.
`

const definitions = Object.entries<SettingDefinition>(settingDefinitions)

/** `.dev.vars.example`, from the list of settings. */
function devVarsExample(): string {
  const lines = definitions.map(([name, { line, prompt }]) => `# ${line}\n${prompt === undefined ? '# ' : ''}${name}=\n`)
  return [devVarsHeader, ...lines].join('\n')
}

const packageFile = join(rootDir, 'package.json')

/** `package.json` with the texts that Cloudflare's deploy button shows next to its fields. */
function packageWithPrompts(): string {
  const bindings = Object.fromEntries(definitions.flatMap(([name, { prompt }]) => (prompt ? [[name, { description: prompt }]] : [])))
  const content = JSON.parse(readFileSync(packageFile, 'utf8')) as object
  return `${JSON.stringify({ ...content, cloudflare: { bindings } }, null, 2)}\n`
}

/** Names of files of the package, by the id of the symbol. */
const iconFiles: Readonly<Record<string, string>> = {
  openai: 'openai',
  anthropic: 'anthropic',
  gemini: 'gemini',
  xai: 'xai',
  deepseek: 'deepseek',
  meta: 'meta',
  mistral: 'mistral',
  qwen: 'qwen',
  moonshot: 'moonshot',
  zai: 'zai',
  ollama: 'ollama',
  cloudflare: 'workersai',
  openrouter: 'openrouter',
}

/** Own drawing, for a server of the user. */
const serverIcon =
  '  <symbol id="compatible" viewBox="0 0 24 24"><path d="M4 4h16v7H4zm2 2v3h12V6zM4 13h16v7H4zm2 2v3h12v-3zM7 6.7h2v1.6H7zm0 9h2v1.6H7z" fill-rule="evenodd"/></symbol>'

/** The sprite `web/ui/maker-icons.svg`: the marks of makers in one colour, from `@lobehub/icons-static-svg`. */
function makerIcons(): string {
  const symbols = Object.entries(iconFiles).map(([id, file]) => {
    const svg = readFileSync(join(rootDir, 'node_modules/@lobehub/icons-static-svg/icons', `${file}.svg`), 'utf8')
    const drawing = /<\/title>(.*)<\/svg>/s.exec(svg)?.[1]
    if (drawing === undefined || !svg.includes('viewBox="0 0 24 24"')) throw new Error(`${file}.svg has another form`)
    return `  <symbol id="${id}" viewBox="0 0 24 24"><g fill-rule="evenodd">${drawing.replaceAll('></path>', '/>')}</g></symbol>`
  })
  return ['<svg xmlns="http://www.w3.org/2000/svg">', '  <title>Icons of makers</title>', ...symbols, serverIcon, '</svg>', ''].join('\n')
}

if (import.meta.main) await generate(process.argv.includes('--check')).catch(fail('Parley: generated files'))

// The settings of a deployment. Cloudflare stores them as secrets that cannot be read back. `.prod.vars` is not in git and contains only
// the settings that the next deployment changes. Missing secrets of our own are generated. The rest is asked for in a terminal, and each
// value is written to the file immediately.
import { randomBytes } from 'node:crypto'
import { appendFileSync, chmodSync, existsSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { parseEnv } from 'node:util'
import { type SettingDefinition, settingDefinitions } from '../../worker/setting-definitions.ts'
import {
  forms,
  invalidBaseUrl,
  isShortSecret,
  longSecretNames,
  missingTurnstileKey,
  publicUrlGap,
  shortSecretReason,
} from '../../worker/setting-forms.ts'
import { isWorkerSetting, type Settings } from '../lib/settings.ts'

/** Not secret and the same in every checkout, so they are in wrangler.jsonc. */
const wranglerVarNames = ['ENVIRONMENT', 'DISABLED_FEATURES']
/** Generated if missing. */
const generatedNames: readonly string[] = longSecretNames

export type Missing = { readonly name: string; readonly line: string; readonly isSecret: boolean }

export function readGiven(file: string): Settings {
  if (!existsSync(file)) return {}
  const settings = parseEnv(readFileSync(file, 'utf8')) as Settings
  for (const [name, value] of Object.entries(settings)) {
    if (!isWorkerSetting(name)) throw new Error(`.prod.vars names ${name}, which is not a setting of the Worker`)
    if (wranglerVarNames.includes(name)) throw new Error(`${name} belongs into the vars of wrangler.jsonc, not into .prod.vars`)
    // Wrangler would replace the stored value by the empty one.
    if (value === '') throw new Error(`.prod.vars has ${name} without a value; add the value or delete the line`)
  }
  return settings
}

export const disabledIn = ({ DISABLED_FEATURES = '' }: Settings): readonly string[] =>
  DISABLED_FEATURES.split(',').map((name) => name.trim())

/** Validates as the Worker does. `known`: names of stored secrets, whose values cannot be read. */
export function validateSettings(vars: Settings, given: Settings, known: ReadonlySet<string>): { wrong: string[]; missing: Missing[] } {
  const all: Settings = { ...vars, ...given }
  const disabled = disabledIn(all)
  const definitions = Object.entries<SettingDefinition>(settingDefinitions)
  const wrong = definitions.flatMap(([name, { form }]) => {
    const value = all[name]
    const prefix = name === 'PUBLIC_URL' ? invalidBaseUrl : ''
    return value === undefined || forms[form].form.safeParse(value).success ? [] : [`${prefix}${name} ${forms[form].reason}`]
  })
  for (const name of longSecretNames)
    if (isShortSecret(all[name]) && !disabled.includes(settingDefinitions[name].feature)) wrong.push(`${name} ${shortSecretReason}`)
  const address = forms.url.form.safeParse(all.PUBLIC_URL).data
  const gap = address ? publicUrlGap(address) : null
  if (gap !== null) wrong.push(`${invalidBaseUrl}PUBLIC_URL ${gap}`)
  const missingKey = missingTurnstileKey((name) => name in all || known.has(name))
  if (missingKey !== null) wrong.push(`${missingKey} is not set, but the other key of Turnstile is`)
  const missing = definitions
    .filter(([name, { isRequired, feature }]) => isRequired && !disabled.includes(feature) && !(name in all) && !known.has(name))
    .map(([name, { line, form }]) => ({ name, line, isSecret: form === 'secret' }))
  return { wrong, missing: all.ENVIRONMENT === 'development' ? [] : missing }
}

export function generateSecrets(missing: readonly Missing[]): Settings {
  const names = missing.map(({ name }) => name).filter((name) => generatedNames.includes(name))
  return Object.fromEntries(names.map((name) => [name, randomBytes(32).toString('base64url')]))
}

/** Makes the file readable only by its owner. */
export function appendSettings(file: string, settings: Settings): void {
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${quote(value)}\n`)
  if (lines.length === 0) return
  const startsOnALine = !existsSync(file) || /(^|\n)$/.test(readFileSync(file, 'utf8'))
  appendFileSync(file, (startsOnALine ? '' : '\n') + lines.join(''), { mode: 0o600 })
  chmodSync(file, 0o600)
}

/** Quotes a value that `parseEnv` would otherwise read differently. */
function quote(value: string): string {
  if (parseEnv(`x=${value}`).x === value) return value
  const quoted = [`'${value}'`, `"${value}"`, `\`${value}\``].find((candidate) => parseEnv(`x=${candidate}`).x === value)
  if (quoted === undefined) throw new Error('a value with every kind of quote in it has to be put with `npx wrangler secret put`')
  return quoted
}

// Asks for settings in the terminal, one line each. Secrets are not echoed.
type Terminal = { readonly input: NodeJS.ReadableStream; readonly output: NodeJS.WritableStream }

/** An empty answer skips a setting. `save` receives each answer immediately, so an interruption loses only the current one. */
export async function ask(missing: readonly Missing[], save: (answer: Settings) => void, { input, output }: Terminal): Promise<void> {
  let isMuted = false
  const echo = new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (!isMuted) output.write(chunk)
      done()
    },
  })
  const lines = createInterface({ input, output: echo, terminal: true })
  const ended = new Promise<null>((resolve) => lines.once('close', () => resolve(null)))
  output.write('\nSettings that the Worker needs. Enter leaves one for later.\n')
  try {
    for (const { name, line, isSecret } of missing) {
      output.write(isSecret ? `\n${line}\n${name}: ` : `\n${line}\n`)
      isMuted = isSecret
      const answer = await Promise.race([lines.question(isSecret ? '' : `${name}: `), ended])
      isMuted = false
      if (isSecret) output.write('\n')
      if (answer === null) throw new Error('interrupted; the answers so far are saved in .prod.vars')
      if (answer.trim() !== '') save({ [name]: answer.trim() })
    }
  } finally {
    lines.close()
  }
}

// The settings of a deployment. Cloudflare stores them as secrets that cannot be read back. `.prod.vars` is not in git and contains only
// the settings that the next deployment changes. Missing secrets of our own are generated.
import { randomBytes } from 'node:crypto'
import { appendFileSync, chmodSync, existsSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { parseEnv } from 'node:util'
import {
  enableCommand,
  type Feature,
  features,
  type SettingDefinition,
  type SettingName,
  settingDefinitions,
} from '../../worker/setting-definitions.ts'
import {
  featuresWithoutSettings,
  forms,
  invalidBaseUrl,
  isShortSecret,
  longSecretNames,
  namesIn,
  publicUrlGap,
  shortSecretReason,
  unmetNeeds,
} from '../../worker/setting-forms.ts'
import { isWorkerSetting, type Settings } from '../lib/settings.ts'

/** Not secret and the same in every checkout, so they are in wrangler.jsonc. `uploadedVars` completes DISABLED_FEATURES. */
const wranglerVarNames = ['ENVIRONMENT', 'DISABLED_FEATURES']

/** A setting to ask for. */
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

/** The features that DISABLED_FEATURES in wrangler.jsonc names. Unknown names are reported by `validateSettings`. */
const listedIn = ({ DISABLED_FEATURES = '' }: Settings): readonly string[] => namesIn(DISABLED_FEATURES)

const definitions = Object.entries<SettingDefinition>(settingDefinitions)

/** The settings of the Worker that a deployment knows: variables, given values, and the names of stored secrets. */
export type Known = { readonly vars: Settings; readonly given: Settings; readonly stored: ReadonlySet<string> }

export const isKnown = ({ vars, given, stored }: Known, name: string): boolean => name in vars || name in given || stored.has(name)

/** Another setting does its work (`replacedBy`). */
export function isReplaced(known: Known, name: string): boolean {
  const { replacedBy }: SettingDefinition = settingDefinitions[name as SettingName]
  return replacedBy !== undefined && isKnown(known, replacedBy)
}

/**
 * The features that this deployment switches off: those of the list in wrangler.jsonc, and those that need settings and have none. A feature
 * with some of its settings is on, so that a missing one is an error.
 */
export function featuresOff(known: Known): readonly Feature[] {
  const listed = listedIn(known.vars)
  const withoutSettings = featuresWithoutSettings((name) => isKnown(known, name))
  return features.filter((feature) => listed.includes(feature) || withoutSettings.includes(feature))
}

/** The variables of the upload. DISABLED_FEATURES names every feature that is off, where wrangler.jsonc names only those that are fixed. */
export function uploadedVars(known: Known): Settings {
  const { DISABLED_FEATURES, ...vars } = known.vars
  const off = featuresOff(known)
  return off.length === 0 ? vars : { ...vars, DISABLED_FEATURES: off.join(',') }
}

/** Validates as the Worker does. */
export function validateSettings(known: Known): { wrong: string[]; missing: Missing[] } {
  const all: Settings = { ...known.vars, ...known.given }
  const off: readonly string[] = featuresOff(known)
  const wrong = definitions.flatMap(([name, { form }]) => {
    const value = all[name]
    const prefix = name === 'PUBLIC_URL' ? invalidBaseUrl : ''
    return value === undefined || forms[form].form.safeParse(value).success ? [] : [`${prefix}${name} ${forms[form].reason}`]
  })
  for (const name of listedIn(known.vars))
    if (!features.some((feature) => feature === name)) wrong.push(`DISABLED_FEATURES names ${name}, which is not a feature`)
  for (const name of longSecretNames)
    if (isShortSecret(all[name]) && !off.includes(settingDefinitions[name].feature)) wrong.push(`${name} ${shortSecretReason}`)
  const address = forms.url.form.safeParse(all.PUBLIC_URL).data
  const gap = address ? publicUrlGap(address) : null
  if (gap !== null) wrong.push(`${invalidBaseUrl}PUBLIC_URL ${gap}`)
  const needs = unmetNeeds(
    (name) => isKnown(known, name),
    (feature) => off.includes(feature),
  )
  for (const { name, reason } of needs) wrong.push(`${name} ${reason}`)
  const missing = definitions
    .filter(([, { isRequired, feature }]) => isRequired && !off.includes(feature))
    .filter(([name]) => !isKnown(known, name) && !isReplaced(known, name))
    .map(([name]) => missingSetting(name))
  return { wrong, missing: all.ENVIRONMENT === 'development' ? [] : missing }
}

export function missingSetting(name: string): Missing {
  const { line, form }: SettingDefinition = settingDefinitions[name as SettingName]
  return { name, line, isSecret: form === 'secret' || form === 'headers' }
}

/** Why a deployment without this setting is refused. */
export function missingReason({ name }: Missing): string {
  const { feature }: SettingDefinition = settingDefinitions[name as SettingName]
  const isFeature = features.some((one) => one === feature)
  return `${name} is not set${isFeature ? `, but another setting of its feature is (${enableCommand(feature as Feature)} asks for all)` : ''}`
}

/** The secrets of our own that are not known yet. */
export function generateSecrets(known: Known): Settings {
  const listed = listedIn(known.vars)
  const names = longSecretNames.filter((name) => !isKnown(known, name) && !listed.includes(settingDefinitions[name].feature))
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
export type Terminal = { readonly input: NodeJS.ReadableStream; readonly output: NodeJS.WritableStream }

/** An empty answer skips a setting. `save` receives each answer immediately. */
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
  try {
    for (const { name, line, isSecret } of missing) {
      output.write(isSecret ? `\n${line}\n${name}: ` : `\n${line}\n`)
      isMuted = isSecret
      const answer = await Promise.race([lines.question(isSecret ? '' : `${name}: `), ended])
      isMuted = false
      if (isSecret) output.write('\n')
      if (answer === null) throw new Error('interrupted')
      if (answer.trim() !== '') save({ [name]: answer.trim() })
    }
  } finally {
    lines.close()
  }
}

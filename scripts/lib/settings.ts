// Settings of a local run: `.dev.vars` first, the process environment over it. Only names of `worker/env-settings.ts` are read,
// so that nothing else of the environment leaks into the Worker. An empty value counts as unset.
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { type SettingFacts, type SettingName, settingFacts } from '../../worker/env-settings.ts'
import { devVarsFile } from './paths.ts'

export type Settings = Record<string, string>

/** Read by the build and baked into the page; the Worker never sees them. */
export function isClientSetting(name: string): boolean {
  const facts: SettingFacts | undefined = settingFacts[name as SettingName]
  return facts?.isClient ?? false
}

export function readSettings(env: NodeJS.ProcessEnv = process.env, file: NodeJS.Dict<string> = devVars()): Settings {
  const settings: Settings = {}
  for (const name of Object.keys(settingFacts)) {
    const value = env[name] || file[name]
    if (value) settings[name] = value
  }
  return settings
}

function devVars(): NodeJS.Dict<string> {
  // Tests pass `--no-dev-vars`: they must behave the same on every machine.
  const isRead = existsSync(devVarsFile) && !process.argv.includes('--no-dev-vars')
  return isRead ? parseEnv(readFileSync(devVarsFile, 'utf8')) : {}
}

/** What the Worker gets in a local run: its settings, `development` unless told otherwise, and a signing secret that outlives restarts. */
export function workerBindings(settings: Settings, stateDir: string): Settings {
  const ours = Object.fromEntries(Object.entries(settings).filter(([name]) => !isClientSetting(name)))
  const environment = ours.ENVIRONMENT ?? 'development'
  // Production names what is missing; inventing a secret there would hide that it is.
  const secret = environment === 'production' ? {} : { BETTER_AUTH_SECRET: localSecret(stateDir) }
  return { ...secret, ...ours, ENVIRONMENT: environment }
}

/** Kept beside the sessions it signs: a new secret at every start would sign everybody out. */
function localSecret(stateDir: string): string {
  const file = join(stateDir, 'auth-secret')
  if (existsSync(file)) return readFileSync(file, 'utf8')
  mkdirSync(stateDir, { recursive: true })
  const secret = randomBytes(32).toString('base64url')
  writeFileSync(file, secret, { mode: 0o600 })
  return secret
}

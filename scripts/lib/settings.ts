// Settings of a local run. The process environment overrides `.dev.vars`. Only names of `worker/setting-definitions.ts` are read, so that no
// other variable reaches the Worker. An empty value counts as unset.
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { type SettingDefinition, type SettingName, settingDefinitions } from '../../worker/setting-definitions.ts'
import { featuresWithoutSettings } from '../../worker/setting-forms.ts'
import { devVarsFile } from './paths.ts'

export type Settings = Record<string, string>

/** The build inlines these settings into the page; the Worker does not receive them. */
export function isClientSetting(name: string): boolean {
  const definition: SettingDefinition | undefined = settingDefinitions[name as SettingName]
  return definition?.isClient ?? false
}

/** False for unknown names, and for settings that only the build or the container reads. */
export function isWorkerSetting(name: string): boolean {
  const definition: SettingDefinition | undefined = settingDefinitions[name as SettingName]
  return definition !== undefined && !definition.isClient && !definition.isContainer
}

export function readSettings(env: NodeJS.ProcessEnv = process.env, file: NodeJS.Dict<string> = devVars()): Settings {
  const settings: Settings = {}
  for (const name of Object.keys(settingDefinitions)) {
    const value = env[name] || file[name]
    if (value) settings[name] = value
  }
  return settings
}

function devVars(): NodeJS.Dict<string> {
  // Tests pass `--no-dev-vars`, because they must behave the same on every machine.
  const isRead = existsSync(devVarsFile) && !process.argv.includes('--no-dev-vars')
  return isRead ? parseEnv(readFileSync(devVarsFile, 'utf8')) : {}
}

/** Settings of the Worker in a local run. Defaults: `development`, and a signing secret that persists across restarts. */
export function workerBindings(settings: Settings, stateDir: string): Settings {
  const ours = onlyOfWorker(settings)
  const environment = ours.ENVIRONMENT ?? 'development'
  // Production reports a missing secret; a generated one would hide the problem.
  const secret = environment === 'production' ? {} : { BETTER_AUTH_SECRET: keptSecret(stateDir, 'auth-secret') }
  return { ...secret, ...ours, ENVIRONMENT: environment }
}

/**
 * Settings of the Worker in a container: production, with generated secrets that persist in the volume. Features without settings are
 * disabled.
 */
export function containerBindings(settings: Settings, stateDir: string): Settings {
  const { ENVIRONMENT = 'production', DISABLED_FEATURES, ...ours } = onlyOfWorker(settings)
  if (ENVIRONMENT !== 'production') throw new Error('ENVIRONMENT can only be production here; `npm start` serves the Worker of development')
  if (ours.BACKUP_API_TOKEN) throw new Error('BACKUP_API_TOKEN backs up D1 at Cloudflare; copy the volume here (docs/deployment.md)')
  const secrets = {
    BETTER_AUTH_SECRET: ours.BETTER_AUTH_SECRET ?? keptSecret(stateDir, 'auth-secret'),
    CRON_SECRET: ours.CRON_SECRET ?? keptSecret(stateDir, 'cron-secret'),
  }
  const disabled = [
    ...(DISABLED_FEATURES ? [DISABLED_FEATURES] : []),
    ...featuresWithoutSettings((name) => Boolean({ ...ours, ...secrets }[name])),
  ]
  return { ...ours, ...secrets, ENVIRONMENT, DISABLED_FEATURES: disabled.join(',') }
}

const onlyOfWorker = (settings: Settings): Settings =>
  Object.fromEntries(Object.entries(settings).filter(([name]) => isWorkerSetting(name)))

/** Stored with the sessions, because a new secret would end all sessions. */
function keptSecret(stateDir: string, name: string): string {
  const file = join(stateDir, name)
  if (existsSync(file)) return readFileSync(file, 'utf8')
  mkdirSync(stateDir, { recursive: true })
  const secret = randomBytes(32).toString('base64url')
  writeFileSync(file, secret, { mode: 0o600 })
  return secret
}

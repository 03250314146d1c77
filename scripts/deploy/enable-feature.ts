// `npm run deploy -- enable NAME`: asks for the settings of a feature and checks them at its provider, before anything is stored or deployed.
import type { Env } from '../../worker/bindings.ts'
import { type Feature, featureNotes, type SettingDefinition, settingDefinitions } from '../../worker/setting-definitions.ts'
import { readSettings } from '../../worker/settings.ts'
import { checkFeature } from '../../worker/setup/checks.ts'
import type { Settings } from '../lib/settings.ts'
import { ask, isReplaced, type Known, missingSetting, type Terminal, validateSettings } from './production-settings.ts'
import { setUpStripe } from './stripe.ts'

type Context = { readonly terminal: Terminal | null; readonly log: (line: string) => void }

/** Returns the settings to add to `.prod.vars`. Throws if the provider rejects them. */
export async function settingsToEnable(feature: Feature, { vars, given, stored }: Known, { terminal, log }: Context): Promise<Settings> {
  const { name } = featureNotes[feature]
  const added: Settings = {}
  const all = (): Settings => ({ ...vars, ...given, ...added })
  const known = (): Known => ({ vars, given: { ...given, ...added }, stored })
  const questions = questionsOf(feature).filter((setting) => !(setting in all()))
  if (terminal && questions.length > 0) {
    console.log(
      `\nThe settings of ${name}. Press Enter to skip one that is optional${questions.some((one) => stored.has(one)) ? ' or stored' : ''}.`,
    )
    await ask(questions.map(missingSetting), (answer) => void Object.assign(added, answer), terminal)
  }
  const { wrong } = validateSettings(known())
  if (wrong.length > 0) throw new Error(wrong.join('; '))
  if (feature === 'billing') Object.assign(added, await setUpPayments(all(), stored, log))

  const required = requiredOf(feature).filter((setting) => setting in all() || !isReplaced(known(), setting))
  const unread = required.filter((setting) => !(setting in all()))
  const missing = unread.filter((setting) => !stored.has(setting))
  if (missing.length > 0) throw new Error(`${name} needs ${missing.join(', ')}. Add it to .prod.vars, or run the command in a terminal`)
  if (unread.length > 0) {
    log(`${unread.join(', ')} is stored at Cloudflare and cannot be read back, so ${name} was not checked`)
    return added
  }
  if (required.length === 0) {
    log(`${name} uses a binding of Cloudflare, which /api/setup checks after the deployment`)
    return added
  }
  // `Env` without bindings, because the checks of `checkFeature` use none.
  const result = readSettings({ ...all(), ENVIRONMENT: 'production', DISABLED_FEATURES: '' } as unknown as Env)
  const checked = await checkFeature(feature, result.ok ? result.settings : result.partial)
  for (const { name: part, state, detail } of checked) if (state !== 'wrong') log(`${part}: ${detail.replace(/\.$/, '')}`)
  const failed = checked.filter(({ state }) => state === 'wrong')
  if (failed.length > 0) throw new Error(failed.map(({ name: part, detail }) => `${part}: ${detail}`).join(' '))
  return added
}

const definitions = Object.entries<SettingDefinition>(settingDefinitions)
const settingsOf = (feature: Feature) => definitions.filter(([, definition]) => definition.feature === feature)
/** The counters of Redis are optional in a deployment, and both settings are needed to have them. */
const requiredOf = (feature: Feature) =>
  feature === 'redis' ? ['REDIS_URL', 'REDIS_TOKEN'] : settingsOf(feature).flatMap(([name, { isRequired }]) => (isRequired ? [name] : []))

/** Payments need one key, with which the rest is created. The addresses of providers are for tests, so they are not asked for. */
function questionsOf(feature: Feature): readonly string[] {
  if (feature === 'billing') return ['STRIPE_SECRET_KEY', 'PUBLIC_URL']
  if (feature === 'redis') return requiredOf(feature)
  return settingsOf(feature).flatMap(([name, { isRequired, form }]) => (isRequired || form === 'text' || form === 'sender' ? [name] : []))
}

async function setUpPayments(settings: Settings, stored: ReadonlySet<string>, log: Context['log']): Promise<Settings> {
  const { STRIPE_SECRET_KEY: secretKey, PUBLIC_URL: publicUrl, STRIPE_API_URL: url = null } = settings
  if (secretKey === undefined) return {}
  if (publicUrl === undefined)
    throw new Error('the webhook of Stripe needs the address of the deployment. Add PUBLIC_URL to .prod.vars; `npm run deploy` prints it')
  const has = (name: string) => name in settings || stored.has(name)
  return setUpStripe({ secretKey, url, publicUrl: new URL(publicUrl).origin, has, log })
}

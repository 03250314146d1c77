/**
 * Runs the checks of the setup page: one cheap request to each configured part. No result repeats a setting's value. A check that exceeds
 * the timeout counts as failed.
 */
import type { Env } from '../bindings.ts'
import { withTimeout } from '../lib/with-timeout.ts'
import { type Feature, type SettingName, settingDefinitions } from '../setting-definitions.ts'
import type { Settings } from '../settings.ts'
import { checkBackups } from './backups.ts'
import {
  checkAddress,
  checkAlerts,
  checkCollector,
  checkDatabase,
  checkFiles,
  checkFirstPages,
  checkGateway,
  checkGitHub,
  checkGoogle,
  checkImages,
  checkMail,
  checkModels,
  checkRedis,
  checkSearch,
  checkTurnstile,
  checkWorkersAi,
  type Finding,
  off,
  wrong,
} from './parts.ts'
import { checkCreditCosts, checkEvents, checkPrice, checkWebhook } from './payments.ts'

type Checked = Finding & { readonly name: string }

type Check = {
  readonly name: string
  readonly feature?: Feature
  readonly isSet?: boolean
  /** The setting that switches the part on, if the part is no feature. */
  readonly setting?: SettingName
  /** Uses a binding, or calls the deployment. */
  readonly needsDeployment?: true
  readonly run: () => Promise<Finding>
}

const timeoutMs = 8_000

/** Without the features that are switched off. */
export async function checkEverything(env: Env, settings: Settings, requestUrl: string): Promise<readonly Checked[]> {
  const isOn = ({ feature }: Check) => feature === undefined || !settings.disabledFeatures.has(feature)
  return Promise.all(checksOf(env, settings, requestUrl).filter(isOn).map(runCheck))
}

/** The checks of one feature that need no deployment, for `npm run deploy -- enable`. */
export async function checkFeature(feature: Feature, settings: Settings): Promise<readonly Checked[]> {
  const checks = checksOf({} as Env, settings, '')
  return Promise.all(checks.filter((check) => check.feature === feature && !check.needsDeployment).map(runCheck))
}

const runCheck = async ({ name, isSet = true, setting, run }: Check): Promise<Checked> => ({
  name,
  ...(isSet ? await resultOf(run) : off(setting ? `${setting} is not set. ${settingDefinitions[setting].line}` : 'Not set.')),
})

function checksOf(env: Env, settings: Settings, requestUrl: string): readonly Check[] {
  const {
    gateway,
    openrouter,
    ollama,
    compatible,
    workersAi,
    search,
    stripe,
    mail,
    google,
    github,
    redis,
    turnstile,
    otlp,
    alerts,
    backups,
  } = settings
  return [
    { name: 'Address', isSet: settings.publicUrl !== null, run: async () => checkAddress(settings, requestUrl) },
    { name: 'Database', run: () => checkDatabase(env) },
    { name: 'First-page cache (KV)', isSet: env.FIRST_PAGES !== undefined, run: () => checkFirstPages(env) },
    { name: 'Files (R2)', feature: 'files', isSet: env.FILES !== undefined, needsDeployment: true, run: () => checkFiles(env) },
    { name: 'Backups (D1 to R2)', isSet: backups !== null, setting: 'BACKUP_API_TOKEN', run: () => checkBackups(env, backups, Date.now()) },
    { name: 'Models: AI gateway', feature: 'gateway', isSet: gateway !== null, run: () => checkGateway(gateway) },
    { name: 'Models: OpenRouter', isSet: openrouter !== null, setting: 'OPENROUTER_API_KEY', run: () => checkModels(openrouter, '/key') },
    { name: 'Models: Ollama', isSet: ollama !== null, setting: 'OLLAMA_URL', run: () => checkModels(ollama, '/models') },
    {
      name: 'Models: OpenAI-compatible server',
      isSet: compatible !== null,
      setting: 'OPENAI_COMPATIBLE_URL',
      run: () => checkModels(compatible, '/models'),
    },
    { name: 'Models: Workers AI', isSet: workersAi !== null, run: () => checkWorkersAi(workersAi) },
    { name: 'Images', feature: 'files', isSet: env.IMAGES !== undefined, needsDeployment: true, run: () => checkImages(env) },
    { name: 'Web search', feature: 'search', isSet: search !== null, run: () => checkSearch(search) },
    { name: 'Payments: key and price', feature: 'billing', isSet: stripe !== null, run: () => checkPrice(env, settings) },
    { name: 'Payments: webhook', feature: 'billing', isSet: stripe !== null, run: () => checkEvents(env, settings) },
    {
      name: 'Payments: webhook from outside',
      feature: 'billing',
      isSet: stripe !== null && settings.publicUrl !== null,
      needsDeployment: true,
      run: () => checkWebhook(env, settings),
    },
    {
      name: 'Payments: cost of a credit',
      feature: 'billing',
      isSet: stripe !== null,
      needsDeployment: true,
      run: () => checkCreditCosts(env, settings),
    },
    { name: 'Mail', feature: 'mail', isSet: mail !== null, run: () => checkMail(mail) },
    { name: 'Login with Google', feature: 'google', isSet: google !== null, run: () => checkGoogle(google) },
    { name: 'Login with GitHub', feature: 'github', isSet: github !== null, run: () => checkGitHub(github) },
    { name: 'Redis', feature: 'redis', isSet: redis !== null, run: () => checkRedis(redis) },
    { name: 'Turnstile', isSet: turnstile !== null, setting: 'TURNSTILE_SITE_KEY', run: () => checkTurnstile(turnstile) },
    { name: 'OpenTelemetry', isSet: otlp !== null, setting: 'OTEL_EXPORTER_OTLP_ENDPOINT', run: () => checkCollector(otlp) },
    { name: 'Alerts by mail', isSet: alerts !== null, setting: 'OPERATOR_EMAIL', run: async () => checkAlerts(settings) },
  ]
}

/** The result names only the class of an error, because its message may quote the request. */
async function resultOf(run: () => Promise<Finding>): Promise<Finding> {
  try {
    return await withTimeout(timeoutMs, run(), () => wrong(`No response within ${timeoutMs / 1000} seconds.`))
  } catch (error) {
    return wrong(`Cannot be reached (${error instanceof Error ? error.name : 'unknown failure'}).`)
  }
}

/**
 * Whether what is set works: each part of a deployment is asked something that costs next to nothing, for the one page that whoever
 * deploys it looks at. No answer ever repeats a value. A part that does not answer in time is one that does not work.
 */
import type { Env, Settings } from '../env.ts'
import type { Feature } from '../env-settings.ts'
import { checkAddress, checkDatabase, checkFiles, checkHints } from './bindings.ts'
import { checkGateway, checkGitHub, checkGoogle, checkMail, checkModels, checkRedis, checkSearch, checkTurnstile } from './companies.ts'
import { checkCreditCosts } from './credit-costs.ts'
import { type Finding, off, wrong } from './finding.ts'
import { checkEvents, checkPrice, checkWebhook } from './payments.ts'

export type Checked = Finding & { readonly name: string }

type Check = { readonly name: string; readonly feature?: Feature; readonly isSet?: boolean; readonly run: () => Promise<Finding> }

const timeoutMs = 8_000

export async function checkEverything(env: Env, settings: Settings, requestUrl: string): Promise<readonly Checked[]> {
  return Promise.all(
    checksOf(env, settings, requestUrl).map(async ({ name, feature, isSet = true, run }) => {
      if (feature && settings.disabledFeatures.has(feature)) return { name, ...off('Switched off by DISABLED_FEATURES.') }
      if (!isSet) return { name, ...off('Not set.') }
      return { name, ...(await inTime(run)) }
    }),
  )
}

function checksOf(env: Env, settings: Settings, requestUrl: string): readonly Check[] {
  const { gateway, openrouter, ollama, compatible, search, stripe, mail, google, github, redis, turnstile } = settings
  return [
    { name: 'Address', isSet: settings.publicUrl !== null, run: async () => checkAddress(settings, requestUrl) },
    { name: 'Database', run: () => checkDatabase(env) },
    { name: 'First-page hints (KV)', isSet: env.HINTS !== undefined, run: () => checkHints(env) },
    { name: 'Files (R2)', feature: 'files', isSet: env.FILES !== undefined, run: () => checkFiles(env) },
    { name: 'Models: AI gateway', feature: 'gateway', isSet: gateway !== null, run: () => checkGateway(gateway) },
    { name: 'Models: OpenRouter', isSet: openrouter !== null, run: () => checkModels(openrouter, '/key') },
    { name: 'Models: Ollama', isSet: ollama !== null, run: () => checkModels(ollama, '/models') },
    { name: 'Models: compatible address', isSet: compatible !== null, run: () => checkModels(compatible, '/models') },
    { name: 'Web search', feature: 'search', isSet: search !== null, run: () => checkSearch(search) },
    { name: 'Payments: key and price', feature: 'billing', isSet: stripe !== null, run: () => checkPrice(env, settings) },
    { name: 'Payments: webhook', feature: 'billing', isSet: stripe !== null, run: () => checkEvents(env, settings) },
    {
      name: 'Payments: webhook from outside',
      feature: 'billing',
      isSet: stripe !== null && settings.publicUrl !== null,
      run: () => checkWebhook(env, settings),
    },
    { name: 'Payments: cost of a credit', feature: 'billing', isSet: stripe !== null, run: () => checkCreditCosts(env) },
    { name: 'Mail', feature: 'mail', isSet: mail !== null, run: () => checkMail(mail) },
    { name: 'Sign-in with Google', feature: 'google', isSet: google !== null, run: () => checkGoogle(google) },
    { name: 'Sign-in with GitHub', feature: 'github', isSet: github !== null, run: () => checkGitHub(github) },
    { name: 'Redis', feature: 'redis', isSet: redis !== null, run: () => checkRedis(redis) },
    { name: 'Turnstile', isSet: turnstile !== null, run: () => checkTurnstile(turnstile) },
  ]
}

/** A failure's own words may repeat what was sent; its kind says enough here, and the log has no more than that either. */
async function inTime(run: () => Promise<Finding>): Promise<Finding> {
  const late = new Promise<Finding>((resolve) => setTimeout(() => resolve(wrong('Did not answer in time.')), timeoutMs))
  try {
    return await Promise.race([run(), late])
  } catch (error) {
    return wrong(`Cannot be reached (${error instanceof Error ? error.name : 'unknown failure'}).`)
  }
}

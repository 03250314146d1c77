/**
 * Bindings, variables and secrets, parsed once per isolate. Empty strings are unset. Production demands what `env-settings.ts` says;
 * development runs with none of it. Whoever needs a setting takes `Settings`; nobody else reads `env` for text.
 */
import { z } from 'zod'
import type { Generation } from './chat/generation.ts'
import { modelSilenceMs, mutationBurst, mutationsPerSecond } from './contract/limits.ts'
import type { Access } from './contract/schema.ts'
import {
  accessOf,
  forms,
  invalidBaseUrl,
  isShortSecret,
  longSecretNames,
  missingContentBinding,
  missingTurnstileKey,
  publicUrlGap,
  shortSecretReason,
} from './env-forms.ts'
import { type Feature, features, type SettingFacts, type SettingName, settingFacts } from './env-settings.ts'
import type { UserSync } from './user-sync/user-sync.ts'

/** `CONTENT_DB_…`: worker/db/shards.ts. */
export type Bindings = { readonly [binding in `CONTENT_DB_${number}`]?: D1Database } & {
  readonly DB: D1Database
  readonly ASSETS: Fetcher
  readonly HINTS?: KVNamespace
  /** Attachments; demanded unless the feature `files` is switched off. */
  readonly FILES?: R2Bucket
  /** Workers AI, where a deployment binds it. */
  readonly AI?: Ai
  readonly USER_SYNC: DurableObjectNamespace<UserSync>
  readonly GENERATION: DurableObjectNamespace<Generation>
}

export type Env = Bindings & { readonly [name in SettingName]?: string }

export type Settings = {
  readonly environment: 'production' | 'development'
  readonly disabledFeatures: ReadonlySet<Feature>
  /** Null only in development, where the origin of the request counts. No slash at its end. */
  readonly publicUrl: string | null
  readonly authSecret: string
  readonly cronSecret: string | null
  /** Of one person. */
  readonly mutationLimit: { readonly burst: number; readonly perSecond: number }
  readonly modelSilenceMs: number
  readonly gateway: { readonly apiKey: string; readonly url: string | null } | null
  readonly openrouter: { readonly apiKey: string; readonly url: string } | null
  readonly ollama: { readonly url: string } | null
  /** `models`: instead of asking it what it has. */
  readonly compatible: { readonly url: string; readonly apiKey: string | null; readonly models?: readonly string[] } | null
  readonly workersAi: Ai | null
  /** What every model that was found asks of a person at least. */
  readonly foundAccess: Access
  readonly search: { readonly apiKey: string; readonly url: string | null } | null
  /** Whether files can be attached. */
  readonly hasFiles: boolean
  readonly stripe: {
    readonly secretKey: string
    readonly webhookSecret: string
    readonly proMonthlyPriceId: string
    readonly url: string | null
  } | null
  readonly google: OAuthClient | null
  readonly github: OAuthClient | null
  readonly mail: { readonly apiKey: string; readonly url: string; readonly from: string } | null
  readonly redis: { readonly url: string; readonly token: string } | null
  readonly turnstile: { readonly siteKey: string; readonly secretKey: string; readonly url: string } | null
}

export type OAuthClient = { readonly clientId: string; readonly clientSecret: string }

/** A setting or binding that keeps the product from starting. The reason never repeats the value. */
export type Problem = {
  readonly name: string
  readonly reason: string
  /** Begins the sentence about an invalid value. */
  readonly prefix?: string
}

export type SettingsResult =
  | { readonly ok: true; readonly settings: Settings }
  /** `partial`: what is set all the same. For the first-run page alone; nothing is served by it. */
  | {
      readonly ok: false
      readonly environment: Settings['environment']
      readonly problems: readonly Problem[]
      readonly partial: Settings
    }

const parsed = new WeakMap<object, SettingsResult>()

export function readSettings(env: Env): SettingsResult {
  const known = parsed.get(env)
  if (known) return known
  const result = parseSettings(env)
  parsed.set(env, result)
  return result
}

/** For the two objects: nobody reaches them through a misconfigured Worker. */
export function mustSettings(env: Env): Settings {
  const result = readSettings(env)
  if (!result.ok) throw new Error(`misconfigured: ${result.problems.map((problem) => problem.name).join(', ')}`)
  return result.settings
}

/** With a company's key, or in development by a bundled stand-in. */
export const canSearch = ({
  environment,
  disabledFeatures,
  search,
}: Pick<Settings, 'environment' | 'disabledFeatures' | 'search'>): boolean =>
  search !== null || (environment === 'development' && !disabledFeatures.has('search'))

/** At the payment company, or in development at the simulation of one. */
export const canPay = ({ environment, disabledFeatures, stripe }: Pick<Settings, 'environment' | 'disabledFeatures' | 'stripe'>): boolean =>
  stripe !== null || (environment === 'development' && !disabledFeatures.has('billing'))

/** Said aloud in the value itself, so that nobody takes it for a secret. Only `development` without any start script ever gets it. */
const developmentSecret = 'development-only-and-known-to-everybody-who-reads-this'

function parseSettings(env: Env): SettingsResult {
  const problems: Problem[] = []
  const environment = readEnvironment(env, problems)
  const disabledFeatures = readDisabled(env, problems)
  const values = readValues(env, problems)
  const isProduction = environment === 'production'

  for (const [name, facts] of Object.entries<SettingFacts>(settingFacts)) {
    const isDisabled = features.some((feature) => feature === facts.feature && disabledFeatures.has(feature))
    const isNamed = problems.some((problem) => problem.name === name)
    if (isProduction && facts.isRequired && !isDisabled && !isNamed && !values[name]) problems.push({ name, reason: 'is not set' })
  }
  for (const name of longSecretNames)
    if (isProduction && isShortSecret(values[name]) && !(name === 'CRON_SECRET' && disabledFeatures.has('cron')))
      problems.push({ name, reason: shortSecretReason })
  const missingKey = missingTurnstileKey((name) => Boolean(values[name]))
  if (missingKey !== null) problems.push({ name: missingKey, reason: 'is not set, but the other key of Turnstile is' })
  const gap = values.PUBLIC_URL ? publicUrlGap(values.PUBLIC_URL) : null
  if (gap !== null) problems.push({ name: 'PUBLIC_URL', reason: gap, prefix: invalidBaseUrl })
  for (const name of ['DB', 'USER_SYNC', 'GENERATION', ...(disabledFeatures.has('files') ? [] : (['FILES'] as const))] as const) {
    if (!env[name]) problems.push({ name, reason: 'is not bound (see wrangler.jsonc)' })
  }
  const missingDb = missingContentBinding(env)
  if (missingDb !== null) problems.push({ name: missingDb, reason: 'is not bound, but a content database with a higher number is' })
  const settings = settingsFrom(values, environment, disabledFeatures, {
    workersAi: env.AI ?? null,
  })
  return problems.length > 0 ? { ok: false, environment, problems, partial: settings } : { ok: true, settings }
}

type Values = { readonly [name: string]: string | undefined }

/** Variables of `wrangler.jsonc` may be JSON of any kind: a number is what it says, a list of names has commas between them. */
const textOf = (variable: unknown): string => (variable == null ? '' : String(variable))

function readEnvironment(env: Env, problems: Problem[]): Settings['environment'] {
  const value = z.enum(['production', 'development']).safeParse(textOf(env.ENVIRONMENT).trim() || 'production')
  if (value.success) return value.data
  problems.push({ name: 'ENVIRONMENT', reason: 'is neither production nor development' })
  return 'production'
}

function readDisabled(env: Env, problems: Problem[]): ReadonlySet<Feature> {
  const disabled = new Set<Feature>()
  for (const name of textOf(env.DISABLED_FEATURES)
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)) {
    const feature = features.find((candidate) => candidate === name)
    if (feature) disabled.add(feature)
    else problems.push({ name: 'DISABLED_FEATURES', reason: `names an unknown feature (known: ${features.join(', ')})` })
  }
  return disabled
}

function readValues(env: Env, problems: Problem[]): Values {
  const values: { [name: string]: string } = {}
  for (const [name, facts] of Object.entries<SettingFacts>(settingFacts)) {
    const raw = textOf(env[name as SettingName])
    if (facts.isClient || raw.trim() === '') continue
    const { form, reason } = forms[facts.form]
    const value = form.safeParse(raw.trim())
    if (value.success) values[name] = value.data
    else problems.push({ name, reason, ...(name === 'PUBLIC_URL' && { prefix: invalidBaseUrl }) })
  }
  return values
}

function settingsFrom(
  values: Values,
  environment: Settings['environment'],
  disabledFeatures: ReadonlySet<Feature>,
  bound: Pick<Settings, 'workersAi'>,
): Settings {
  const isOn = (feature: Feature) => !disabledFeatures.has(feature)
  // As browsers say it, who compare letters.
  const publicUrl = values.PUBLIC_URL ? new URL(values.PUBLIC_URL).origin : null
  return {
    environment,
    disabledFeatures,
    publicUrl,
    authSecret: values.BETTER_AUTH_SECRET ?? developmentSecret,
    mutationLimit: {
      burst: Number(values.MUTATION_BURST ?? mutationBurst),
      perSecond: Number(values.MUTATIONS_PER_SECOND ?? mutationsPerSecond),
    },
    modelSilenceMs: values.MODEL_SILENCE_SECONDS ? Number(values.MODEL_SILENCE_SECONDS) * 1000 : modelSilenceMs,
    cronSecret: isOn('cron') ? (values.CRON_SECRET ?? null) : null,
    gateway:
      isOn('gateway') && values.AI_GATEWAY_API_KEY ? { apiKey: values.AI_GATEWAY_API_KEY, url: values.AI_GATEWAY_URL ?? null } : null,
    openrouter: values.OPENROUTER_API_KEY
      ? { apiKey: values.OPENROUTER_API_KEY, url: values.OPENROUTER_URL ?? 'https://openrouter.ai/api/v1' }
      : null,
    ollama: values.OLLAMA_URL ? { url: values.OLLAMA_URL } : null,
    compatible: values.OPENAI_COMPATIBLE_URL
      ? {
          url: values.OPENAI_COMPATIBLE_URL,
          apiKey: values.OPENAI_COMPATIBLE_API_KEY ?? null,
          ...(values.OPENAI_COMPATIBLE_MODELS ? { models: namesIn(values.OPENAI_COMPATIBLE_MODELS) } : {}),
        }
      : null,
    search: isOn('search') && values.SEARCH_API_KEY ? { apiKey: values.SEARCH_API_KEY, url: values.SEARCH_URL ?? null } : null,
    ...bound,
    foundAccess: accessOf(values.FOUND_MODELS_ACCESS),
    hasFiles: isOn('files'),
    stripe: isOn('billing') ? stripeFrom(values) : null,
    google: isOn('google') ? clientFrom(values.GOOGLE_CLIENT_ID, values.GOOGLE_CLIENT_SECRET) : null,
    github: isOn('github') ? clientFrom(values.GITHUB_CLIENT_ID, values.GITHUB_CLIENT_SECRET) : null,
    mail: isOn('mail') ? mailFrom(values, publicUrl) : null,
    redis: isOn('redis') && values.REDIS_URL ? { url: values.REDIS_URL, token: values.REDIS_TOKEN ?? '' } : null,
    turnstile: turnstileFrom(values),
  }
}

const namesIn = (list: string): readonly string[] =>
  list
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean)

function stripeFrom(values: Values): Settings['stripe'] {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecret, PRO_MONTHLY_PRICE_ID: proMonthlyPriceId } = values
  if (!secretKey || !webhookSecret || !proMonthlyPriceId) return null
  return { secretKey, webhookSecret, proMonthlyPriceId, url: values.STRIPE_API_URL ?? null }
}

function turnstileFrom({
  TURNSTILE_SITE_KEY: siteKey,
  TURNSTILE_SECRET_KEY: secretKey,
  TURNSTILE_URL: url,
}: Values): Settings['turnstile'] {
  return siteKey && secretKey ? { siteKey, secretKey, url: url ?? 'https://challenges.cloudflare.com' } : null
}

const clientFrom = (clientId: string | undefined, clientSecret: string | undefined): OAuthClient | null =>
  clientId && clientSecret ? { clientId, clientSecret } : null

function mailFrom(values: Values, publicUrl: string | null): Settings['mail'] {
  if (!values.RESEND_API_KEY) return null
  const host = publicUrl === null ? 'localhost' : new URL(publicUrl).hostname
  return {
    apiKey: values.RESEND_API_KEY,
    url: values.MAIL_API_URL ?? 'https://api.resend.com',
    from: values.MAIL_FROM ?? `Parley <no-reply@${host}>`,
  }
}

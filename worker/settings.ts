/**
 * Variables and secrets, parsed once per isolate. Empty strings are unset. `setting-definitions.ts` lists what production requires; development
 * requires nothing. Other modules take `Settings` and never read text from `env`.
 */
import { z } from 'zod'
import type { Env } from './bindings.ts'
import type { Capability } from './contract/files/files.ts'
import type { LegalLink } from './contract/http.ts'
import { modelSilenceMs, mutationBurst, mutationsPerSecond } from './contract/limits.ts'
import type { Access } from './contract/models/model-table.ts'
import { defaultCreditMicroDollars } from './contract/models/quote.ts'
import { type Feature, features, type SettingDefinition, type SettingName, settingDefinitions } from './setting-definitions.ts'
import {
  accessOf,
  capabilitiesOf,
  forms,
  headersOf,
  invalidBaseUrl,
  isShortSecret,
  longSecretNames,
  missingContentBinding,
  namesIn,
  publicUrlGap,
  shortSecretReason,
  unmetNeeds,
} from './setting-forms.ts'
import type { StandIns } from './stand-ins.ts'

export type Settings = {
  readonly environment: 'production' | 'development'
  /** Null in production, and in every bundle of `worker/index.ts`. */
  readonly standIns: StandIns | null
  readonly disabledFeatures: ReadonlySet<Feature>
  /** Without a final slash. Null only in development, which uses the origin of the request. */
  readonly publicUrl: string | null
  readonly authSecret: string
  readonly cronSecret: string | null
  /** Per user. */
  readonly mutationLimit: { readonly burst: number; readonly perSecond: number }
  /** Null: `mutationsPerDay` of the contract. */
  readonly mutationsPerDay: number | null
  readonly modelSilenceMs: number
  /** What one credit pays for. */
  readonly creditMicroDollars: number
  readonly gateway: { readonly apiKey: string; readonly url: string | null } | null
  readonly openrouter: { readonly apiKey: string; readonly url: string } | null
  readonly ollama: { readonly url: string } | null
  /** `models` replaces the list of the server. */
  readonly compatible: {
    readonly url: string
    readonly apiKey: string | null
    readonly models?: readonly string[]
    /** Of the models for which the list of the server names none. */
    readonly capabilities?: readonly Capability[]
  } | null
  readonly workersAi: Ai | null
  /** The lowest access of every model that was found at a connected server. */
  readonly foundAccess: Access
  readonly search: { readonly apiKey: string; readonly url: string | null } | null
  readonly hasFiles: boolean
  readonly stripe: {
    readonly secretKey: string
    readonly webhookSecret: string
    readonly proMonthlyPriceId: string
    readonly portalId: string | null
    readonly url: string | null
  } | null
  readonly google: OAuthClient | null
  readonly github: OAuthClient | null
  readonly mail: ResendMail | CloudflareMail | null
  readonly redis: { readonly url: string; readonly token: string } | null
  /** Where traces and metrics go. `sampleRatio`: the share of traces that are sent. */
  readonly otlp: {
    readonly url: string
    readonly headers: { readonly [name: string]: string }
    readonly sampleRatio: number
  } | null
  readonly alerts: {
    readonly to: string
    readonly failedPercent: number
    readonly stuckTurns: number
    readonly feedRows: number
    readonly databaseMb: number
  } | null
  readonly turnstile: { readonly siteKey: string; readonly secretKey: string; readonly url: string } | null
  readonly legal: readonly LegalLink[]
  /** Daily exports of the named databases. */
  readonly backups: {
    readonly token: string
    readonly accountId: string
    readonly databases: readonly string[]
    readonly copies: number
    readonly hour: number
    readonly url: string
  } | null
}

export type ResendMail = { readonly via: 'resend'; readonly apiKey: string; readonly url: string; readonly from: string }
/** Email Service. Its binding sends from a domain of the account only. */
export type CloudflareMail = { readonly via: 'cloudflare'; readonly binding: SendEmail; readonly from: string }

type OAuthClient = { readonly clientId: string; readonly clientSecret: string }

/** A missing or invalid setting or binding. Requests are refused until it is fixed. The reason never contains the value. */
export type Problem = {
  readonly name: string
  readonly reason: string
  /** Start of the sentence about an invalid value. */
  readonly prefix?: string
}

export type SettingsResult =
  | { readonly ok: true; readonly settings: Settings }
  /** `partial`: the settings that are valid. Only the setup page uses them. */
  | {
      readonly ok: false
      readonly environment: Settings['environment']
      readonly problems: readonly Problem[]
      readonly partial: Settings
    }

const parsed = new WeakMap<object, SettingsResult>()

export function readSettings(env: Env): SettingsResult {
  const cached = parsed.get(env)
  if (cached) return cached
  const result = parseSettings(env)
  parsed.set(env, result)
  return result
}

/** Throws on problems. Requests reach its callers only after `requireSettings` found none. */
export function mustSettings(env: Env): Settings {
  const result = readSettings(env)
  if (!result.ok) throw new Error(`misconfigured: ${result.problems.map((problem) => problem.name).join(', ')}`)
  return result.settings
}

export const canSearch = ({ standIns, disabledFeatures, search }: Pick<Settings, 'standIns' | 'disabledFeatures' | 'search'>): boolean =>
  search !== null || (standIns !== null && !disabledFeatures.has('search'))

export const canPay = ({ standIns, disabledFeatures, stripe }: Pick<Settings, 'standIns' | 'disabledFeatures' | 'stripe'>): boolean =>
  stripe !== null || (standIns !== null && !disabledFeatures.has('billing'))

/** The value states that it is not a secret. Used only in development without a start script. */
const developmentSecret = 'development-only-and-public-in-the-source-code'

function parseSettings(env: Env): SettingsResult {
  const problems: Problem[] = []
  const environment = readEnvironment(env, problems)
  const disabledFeatures = readDisabled(env, problems)
  const isDisabled = (feature: string) => (disabledFeatures as ReadonlySet<string>).has(feature)
  const values = readValues(env, problems)
  const isProduction = environment === 'production'

  for (const [name, definition] of Object.entries<SettingDefinition>(settingDefinitions)) {
    const isNamed = problems.some((problem) => problem.name === name)
    // EMAIL is the only binding that replaces a setting.
    const isReplaced = definition.replacedBy !== undefined && env.EMAIL !== undefined && values[definition.replacedBy] !== undefined
    if (isProduction && definition.isRequired && !isDisabled(definition.feature) && !isNamed && !isReplaced && !values[name])
      problems.push({ name, reason: 'is not set' })
  }
  for (const name of longSecretNames)
    if (isProduction && isShortSecret(values[name]) && !isDisabled(settingDefinitions[name].feature))
      problems.push({ name, reason: shortSecretReason })
  const needs = unmetNeeds(
    (name) => Boolean(values[name]),
    (feature) => disabledFeatures.has(feature),
  )
  problems.push(...needs)
  const gap = values.PUBLIC_URL ? publicUrlGap(values.PUBLIC_URL) : null
  if (gap !== null) problems.push({ name: 'PUBLIC_URL', reason: gap, prefix: invalidBaseUrl })
  for (const name of ['DB', 'USER_SYNC', 'GENERATION', ...(isDisabled('files') ? [] : (['FILES'] as const))] as const) {
    if (!env[name]) problems.push({ name, reason: 'is not bound (see wrangler.jsonc)' })
  }
  const missingDb = missingContentBinding(env)
  if (missingDb !== null) problems.push({ name: missingDb, reason: 'is not bound, but a content database with a higher number is' })
  const settings = settingsFrom(values, environment, disabledFeatures, {
    workersAi: env.AI ?? null,
    email: env.EMAIL,
    standIns: environment === 'development' ? (env.STAND_INS ?? null) : null,
  })
  return problems.length > 0 ? { ok: false, environment, problems, partial: settings } : { ok: true, settings }
}

type Values = { readonly [name: string]: string | undefined }

/** Variables of `wrangler.jsonc` may be JSON of any kind. A list of names becomes text with commas. */
const textOf = (variable: unknown): string => (variable == null ? '' : String(variable))

function readEnvironment(env: Env, problems: Problem[]): Settings['environment'] {
  const value = z.enum(['production', 'development']).safeParse(textOf(env.ENVIRONMENT).trim() || 'production')
  if (value.success) return value.data
  problems.push({ name: 'ENVIRONMENT', reason: 'is neither production nor development' })
  return 'production'
}

function readDisabled(env: Env, problems: Problem[]): ReadonlySet<Feature> {
  const disabled = new Set<Feature>()
  for (const name of namesIn(textOf(env.DISABLED_FEATURES))) {
    const feature = features.find((candidate) => candidate === name)
    if (feature) disabled.add(feature)
    else problems.push({ name: 'DISABLED_FEATURES', reason: `names an unknown feature (known: ${features.join(', ')})` })
  }
  return disabled
}

function readValues(env: Env, problems: Problem[]): Values {
  const values: { [name: string]: string } = {}
  for (const [name, definition] of Object.entries<SettingDefinition>(settingDefinitions)) {
    const raw = textOf(env[name as SettingName])
    if (definition.isClient || raw.trim() === '') continue
    const { form, reason } = forms[definition.form]
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
  { email, ...bound }: Pick<Settings, 'workersAi' | 'standIns'> & { readonly email: SendEmail | undefined },
): Settings {
  const isOn = (feature: Feature) => !disabledFeatures.has(feature)
  // Browsers send the origin in lower case and compare it as text.
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
    mutationsPerDay: values.MUTATIONS_PER_DAY ? Number(values.MUTATIONS_PER_DAY) : null,
    modelSilenceMs: values.MODEL_SILENCE_SECONDS ? Number(values.MODEL_SILENCE_SECONDS) * 1000 : modelSilenceMs,
    creditMicroDollars: values.CREDIT_MICRO_DOLLARS ? Number(values.CREDIT_MICRO_DOLLARS) : defaultCreditMicroDollars,
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
          capabilities: capabilitiesOf(values.OPENAI_COMPATIBLE_CAPABILITIES ?? '') ?? [],
        }
      : null,
    search: isOn('search') && values.SEARCH_API_KEY ? { apiKey: values.SEARCH_API_KEY, url: values.SEARCH_URL ?? null } : null,
    ...bound,
    foundAccess: accessOf(values.FOUND_MODELS_ACCESS),
    hasFiles: isOn('files'),
    stripe: isOn('billing') ? stripeFrom(values) : null,
    google: isOn('google') ? clientFrom(values.GOOGLE_CLIENT_ID, values.GOOGLE_CLIENT_SECRET) : null,
    github: isOn('github') ? clientFrom(values.GITHUB_CLIENT_ID, values.GITHUB_CLIENT_SECRET) : null,
    mail: isOn('mail') ? mailFrom(values, publicUrl, email) : null,
    redis: isOn('redis') && values.REDIS_URL ? { url: values.REDIS_URL, token: values.REDIS_TOKEN ?? '' } : null,
    otlp: values.OTEL_EXPORTER_OTLP_ENDPOINT
      ? {
          url: values.OTEL_EXPORTER_OTLP_ENDPOINT,
          headers: headersOf(values.OTEL_EXPORTER_OTLP_HEADERS ?? '') ?? {},
          sampleRatio: Number(values.OTEL_TRACES_SAMPLER_ARG ?? 1),
        }
      : null,
    alerts: values.OPERATOR_EMAIL
      ? {
          to: values.OPERATOR_EMAIL,
          failedPercent: Number(values.ALERT_FAILED_PERCENT ?? 25),
          stuckTurns: Number(values.ALERT_STUCK_TURNS ?? 5),
          feedRows: Number(values.ALERT_FEED_ROWS ?? 20_000_000),
          databaseMb: Number(values.ALERT_DATABASE_MB ?? 8000),
        }
      : null,
    turnstile: turnstileFrom(values),
    legal: legalFrom(values),
    backups: backupsFrom(values),
  }
}

function backupsFrom(values: Values): Settings['backups'] {
  const { BACKUP_API_TOKEN: token, BACKUP_ACCOUNT_ID: accountId, BACKUP_DATABASES: databases = 'parley' } = values
  if (!token || !accountId) return null
  return {
    ...{ token, accountId, databases: namesIn(databases) },
    copies: Number(values.BACKUP_COPIES ?? 30),
    hour: Number(values.BACKUP_HOUR ?? 3),
    url: values.BACKUP_API_URL ?? 'https://api.cloudflare.com/client/v4',
  }
}

const legalFrom = ({ TERMS_URL: terms, PRIVACY_URL: privacy, IMPRINT_URL: imprint }: Values): readonly LegalLink[] =>
  Object.entries({ terms, privacy, imprint }).flatMap(([name, url]) => (url ? [{ name: name as LegalLink['name'], url }] : []))

function stripeFrom(values: Values): Settings['stripe'] {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecret, PRO_MONTHLY_PRICE_ID: proMonthlyPriceId } = values
  if (!secretKey || !webhookSecret || !proMonthlyPriceId) return null
  return { secretKey, webhookSecret, proMonthlyPriceId, portalId: values.STRIPE_PORTAL_ID ?? null, url: values.STRIPE_API_URL ?? null }
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

function mailFrom(values: Values, publicUrl: string | null, binding: SendEmail | undefined): Settings['mail'] {
  const { RESEND_API_KEY: apiKey, MAIL_FROM: sender } = values
  if (!apiKey) return binding && sender ? { via: 'cloudflare', binding, from: sender } : null
  const host = publicUrl === null ? 'localhost' : new URL(publicUrl).hostname
  return { via: 'resend', apiKey, url: values.MAIL_API_URL ?? 'https://api.resend.com', from: sender ?? `Parley <no-reply@${host}>` }
}

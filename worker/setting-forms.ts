/** The valid values of a setting, by its form. `npm run deploy` checks settings with it before the Worker does. */
import { z } from 'zod'
import { type Capability, capabilities } from './contract/files/files.ts'
import type { Access } from './contract/models/model-table.ts'
import { type Feature, features, type SettingDefinition, settingDefinitions } from './setting-definitions.ts'

/** Secrets whose length is checked in production. Chosen: 32 characters cannot be guessed. */
export const longSecretNames = ['BETTER_AUTH_SECRET', 'CRON_SECRET'] as const
const minSecretChars = 32
export const isShortSecret = (value: string | undefined): boolean => value !== undefined && value.length < minSecretChars
export const shortSecretReason = `has fewer than ${minSecretChars} characters`

const text = z.string().trim().min(1)
/** Paths are appended to it, and `fetch` accepts no URL with a password. */
const isBase = (value: string): boolean => {
  const { search, hash, username, password } = new URL(value)
  return [search, hash, username, password].every((part) => part === '') && !/[?#]/.test(value)
}
const url = z
  .url({ protocol: /^https?$/, abort: true })
  .refine(isBase, 'base')
  .transform((value) => value.replace(/\/+$/, ''))
/** The address of a page elsewhere. */
const link = z.url({ protocol: /^https$/, abort: true }).refine((value) => new URL(value).username === '', 'without a user')
const sender = z.string().refine((value) => z.email().safeParse(/^[^<>]*<([^<>]+)>$/.exec(value)?.[1] ?? value).success)
const hour = z.string().regex(/^(?:\d|1\d|2[0-3])$/)
const count = z.string().regex(/^[1-9]\d{0,8}$/)

/** Begins the refusal of an invalid PUBLIC_URL, which is the base URL of better-auth. The same words as better-auth's own error. */
export const invalidBaseUrl = 'Invalid base URL: '

/** Why a valid URL cannot be the base URL of the product, or null. */
export const publicUrlGap = (address: string): string | null =>
  new URL(address).pathname === '/' ? null : 'has a path, and everything here begins at the root of an address'

const pairs = [
  ['TURNSTILE_SITE_KEY', 'TURNSTILE_SECRET_KEY'],
  ['REDIS_URL', 'REDIS_TOKEN'],
  ['BACKUP_API_TOKEN', 'BACKUP_ACCOUNT_ID'],
] as const

/** Settings that do nothing while a feature is off. */
const dependents = [
  ['OPERATOR_EMAIL', 'mail'],
  ['BACKUP_API_TOKEN', 'files'],
] as const

/** Settings that work only together, or only with a feature: each wrong one, with the reason. */
export const unmetNeeds = (
  isSet: (name: string) => boolean,
  isOff: (feature: Feature) => boolean,
): readonly { readonly name: string; readonly reason: string }[] => [
  ...pairs.flatMap(([first, second]) => {
    if (isSet(first) === isSet(second)) return []
    const [name, other] = isSet(first) ? [second, first] : [first, second]
    return [{ name, reason: `is not set, but ${other} is` }]
  }),
  ...dependents.flatMap(([name, feature]) =>
    isSet(name) && isOff(feature) ? [{ name, reason: `is set, but it needs ${feature}, which is off` }] : [],
  ),
]

/** The names in a setting of the form `list`. */
export const namesIn = (list: string): readonly string[] =>
  list
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean)

/** Content databases are numbered without gaps (worker/db/shards.ts). The first missing binding below a bound one, or null. */
export function missingContentBinding(env: { readonly [name: string]: unknown }): string | null {
  const numbers = Object.keys(env).map((name) => Number(/^CONTENT_DB_([1-9][0-9]*)$/.exec(name)?.[1] ?? 1))
  const newest = Math.max(1, ...numbers)
  for (let number = 2; number < newest; number++) if (!env[`CONTENT_DB_${number}`]) return `CONTENT_DB_${number}`
  return null
}

/** The names in a setting, and in a row of the catalogue. */
const accessNames: ReadonlyMap<string, Access> = new Map([
  ['guests', 'public'],
  ['accounts', 'account_required'],
  ['pro', 'premium_required'],
])
const access = z.enum([...accessNames.keys()])
export const accessOf = (name = 'guests'): Access => accessNames.get(name) ?? 'premium_required'

/** Null for a list with another name. */
export function capabilitiesOf(list: string): readonly Capability[] | null {
  const names = namesIn(list)
  const known = capabilities.filter((name) => names.includes(name))
  return names.length > 0 && names.every((name) => known.some((each) => each === name)) ? known : null
}

/** Parses `OTEL_EXPORTER_OTLP_HEADERS`, whose values may be percent-encoded. Null for an invalid list. */
export function headersOf(list: string): { readonly [name: string]: string } | null {
  try {
    const headers = new Headers()
    for (const part of list.split(',')) {
      const [, name, value = ''] = /^\s*([\w-]+)=(.*?)\s*$/.exec(part) ?? []
      // The Headers of workerd accept an empty name, and collectors refuse it.
      if (name === undefined) return null
      headers.append(name, decodeURIComponent(value))
    }
    return Object.fromEntries(headers)
  } catch {
    return null
  }
}

type Form = { readonly form: z.ZodType<string>; readonly reason: string }
const anyText: Form = { form: text, reason: 'is empty' }
export const forms: { readonly [name in SettingDefinition['form']]: Form } = {
  text: anyText,
  list: anyText,
  secret: anyText,
  url: { form: url, reason: 'is not a valid http(s) URL without password, ? and #' },
  hour: { form: hour, reason: 'is not a whole number from 0 to 23' },
  link: { form: link, reason: 'is not a valid https URL' },
  access: { form: access, reason: 'is none of guests, accounts and pro' },
  capabilities: {
    form: z.string().refine((value) => capabilitiesOf(value) !== null),
    reason: `is not a list of ${capabilities.join(', ')}, separated by commas`,
  },
  headers: { form: z.string().refine((value) => headersOf(value) !== null), reason: 'is not a list of name=value, separated by commas' },
  email: { form: z.email(), reason: 'is not a mail address' },
  sender: { form: sender, reason: 'is neither a mail address nor a name with <a mail address>' },
  share: { form: z.string().regex(/^(?:0|1|0?\.\d{1,9})$/), reason: 'is not a number from 0 to 1' },
  header: { form: z.string().regex(/^[\w-]+$/), reason: 'is not the name of a header' },
  count: { form: count, reason: 'is not a positive whole number' },
  percent: { form: z.string().regex(/^(?:100|[1-9]\d?)$/), reason: 'is not a whole number from 1 to 100' },
}

/** Features that have settings, but none is set. A feature with some of its settings is on, so a missing one is an error. */
export function featuresWithoutSettings(isSet: (name: string) => boolean): readonly Feature[] {
  const definitions = Object.entries<SettingDefinition>(settingDefinitions)
  return features.filter((feature) => {
    const own = definitions.filter(([, definition]) => definition.feature === feature)
    return own.length > 0 && !own.some(([name]) => isSet(name))
  })
}

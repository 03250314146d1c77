/** What a setting may look like, by its form. Apart from `env.ts`, because a deployment asks before the Worker can. */
import { z } from 'zod'
import type { Access } from './contract/schema.ts'
import type { SettingFacts } from './env-settings.ts'

export const minSecretChars = 32

const text = z.string().trim().min(1)
/** Paths are put behind it, and `fetch` takes no address with a password in it. */
const isBase = (value: string): boolean => {
  const { search, hash, username, password } = new URL(value)
  return [search, hash, username, password].every((part) => part === '') && !/[?#]/.test(value)
}
const url = z
  .url({ protocol: /^https?$/, abort: true })
  .refine(isBase, 'base')
  .transform((value) => value.replace(/\/+$/, ''))
const count = z.string().regex(/^[1-9]\d{0,8}$/)

/** Why an address that is one cannot be that of the whole product, or null. */
export const publicUrlGap = (address: string): string | null =>
  new URL(address).pathname === '/' ? null : 'has a path, and everything here begins at the root of an address'

/** What a setting calls them, and what a row of the catalogue does. */
const accessNames: ReadonlyMap<string, Access> = new Map([
  ['guests', 'public'],
  ['accounts', 'account_required'],
  ['pro', 'premium_required'],
])
const access = z.enum([...accessNames.keys()])
export const accessOf = (name = 'guests'): Access => accessNames.get(name) ?? 'premium_required'

type Form = { readonly form: z.ZodType<string>; readonly reason: string }
const anyText: Form = { form: text, reason: 'is empty' }
export const forms: { readonly [name in SettingFacts['form']]: Form } = {
  text: anyText,
  list: anyText,
  secret: anyText,
  url: { form: url, reason: 'is not a valid http(s) URL without password, ? and #' },
  access: { form: access, reason: 'is none of guests, accounts and pro' },
  count: { form: count, reason: 'is not a positive whole number' },
}

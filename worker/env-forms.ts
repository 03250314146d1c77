/** What a setting may look like, by its form. Apart from `env.ts`, because a deployment asks before the Worker can. */
import { z } from 'zod'
import type { SettingFacts } from './env-settings.ts'

export const minSecretChars = 32

const text = z.string().trim().min(1)
const url = z.url({ protocol: /^https?$/ }).transform((value) => value.replace(/\/+$/, ''))
const count = z.string().regex(/^[1-9]\d{0,8}$/)

type Form = { readonly form: z.ZodType<string>; readonly reason: string }
const anyText: Form = { form: text, reason: 'is empty' }
export const forms: { readonly [name in SettingFacts['form']]: Form } = {
  text: anyText,
  list: anyText,
  secret: anyText,
  url: { form: url, reason: 'is not a valid http(s) URL' },
  count: { form: count, reason: 'is not a positive whole number' },
}

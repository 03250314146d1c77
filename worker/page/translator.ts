/** Texts of the served HTML in the user's language. */
import { parseAccept } from 'hono/utils/accept'
import compile from 'icu-minify/compile'
import format from 'icu-minify/format'
import type { FirstPaintText } from '../contract/first-paint-text.ts'
import type { Language } from '../contract/languages.ts'
import { de } from '../contract/texts/de.ts'
import { en } from '../contract/texts/en.ts'

type Texts = Record<keyof typeof en, string>
type Values = Parameters<typeof format>[2]

const compileAll = (texts: Texts) => new Map(Object.entries(texts).map(([key, text]) => [key, compile(text)]))
const compiled = { en: compileAll(en), de: compileAll(de) }

const formatters = {
  getDateTimeFormat: (...args: ConstructorParameters<typeof Intl.DateTimeFormat>) => new Intl.DateTimeFormat(...args),
  getNumberFormat: (...args: ConstructorParameters<typeof Intl.NumberFormat>) => new Intl.NumberFormat(...args),
  getPluralRules: (...args: ConstructorParameters<typeof Intl.PluralRules>) => new Intl.PluralRules(...args),
}

/** Without the translator of `use-intl`, which imports React. */
export const translatorFor = (language: Language): FirstPaintText => {
  const messages = compiled[language]
  const translate = (key: string, values?: Values) => format(messages.get(key) ?? key, language, values, { formatters })
  return translate as unknown as FirstPaintText
}

/** Language tags of an `Accept-Language` header, the most preferred first. */
export const acceptedLanguages = (header: string | null): readonly string[] => parseAccept(header ?? '').map(({ type }) => type)

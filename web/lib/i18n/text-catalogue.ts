/**
 * Texts of the page. A folder of texts has `en.ts`, which calls `catalogue`, and `de.ts`. The texts have ICU syntax. `t` reads the
 * current language when it is called, so never call it at the top of a module; `InLanguage` remounts the pages when the language changes.
 */
import { createElement, Fragment } from 'react'
import type { createTranslator } from 'use-intl/core'
import formatMessage from 'use-intl/format-message'
import { formatLocale } from './intl-format.ts'
import { loadedLanguage } from './language.ts'

type Texts = { readonly [key: string]: string }

type Translate<English extends Texts> = ReturnType<typeof createTranslator<English>>

/** The same keys as in English; `tests/unit/web/texts.test.ts` compares the arguments. */
export type Translation<English> = { readonly [Key in keyof English]: string }

type FormatOptions = Parameters<typeof formatMessage>[3]
type Values = Parameters<typeof formatMessage>[2]

/** What texts use. The cache holds parsed texts, where they are not compiled. */
const formatters = {
  getDateTimeFormat: (...args) => new Intl.DateTimeFormat(...args),
  getNumberFormat: (...args) => new Intl.NumberFormat(...args),
  getPluralRules: (...args) => new Intl.PluralRules(...args),
} satisfies Partial<FormatOptions['formatters']> as FormatOptions['formatters']
const cache = { message: {} } as FormatOptions['cache']

/**
 * `name`: the key of the German texts in `web/german.ts`. Without the translator of `use-intl`, whose namespaces and error callbacks cost 1 KB
 * of the first load.
 */
export function catalogue<const English extends Texts>(name: string, english: English): Translate<English> {
  const format = (key: string, values: Values) => {
    const texts: Texts = loadedLanguage.get().catalogues?.[name] ?? english
    return formatMessage(key, texts[key] ?? key, values, { cache, formatters, locale: formatLocale() })
  }
  // As separate children, the parts need no keys.
  const rich = (key: string, values: Values) => createElement(Fragment, null, ...[format(key, values)].flat())
  return Object.assign(format, { rich }) as unknown as Translate<English>
}

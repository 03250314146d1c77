/** Texts of the server in the user's language, in ICU syntax. Without the translator of `use-intl`, which imports React. */
import compile from 'icu-minify/compile'
import format from 'icu-minify/format'

type Values = Parameters<typeof format>[2]

const formatters = {
  getDateTimeFormat: (...args: ConstructorParameters<typeof Intl.DateTimeFormat>) => new Intl.DateTimeFormat(...args),
  getNumberFormat: (...args: ConstructorParameters<typeof Intl.NumberFormat>) => new Intl.NumberFormat(...args),
  getPluralRules: (...args: ConstructorParameters<typeof Intl.PluralRules>) => new Intl.PluralRules(...args),
}

/** `texts`: by language and key. */
export function translatorOf<Language extends string, Key extends string>(texts: Record<Language, Record<Key, string>>) {
  const compiled = new Map<string, ReturnType<typeof compile>>()
  return (language: Language) =>
    (key: Key, values?: Values): string => {
      const id = `${language} ${key}`
      const message = compiled.get(id) ?? compile(texts[language][key])
      compiled.set(id, message)
      return String(format(message, language, values, { formatters }))
    }
}

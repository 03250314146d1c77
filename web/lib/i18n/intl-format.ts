/** Numbers in the language of the page, with the regional conventions of the browser. */
import { loadedLanguage } from './language.ts'

/** Chromium on Linux can report `en-US@posix`, which `Intl` rejects. */
function isValid(locale: string): boolean {
  try {
    return Intl.getCanonicalLocales(locale).length > 0
  } catch {
    return false
  }
}

// Every text of the page needs its locale.
const browserLocales = typeof navigator === 'undefined' ? [] : (navigator.languages ?? []).filter(isValid)

/** The browser's first locale of the current language, such as `en-GB`, else the language itself. */
export function formatLocale(): string {
  const { language } = loadedLanguage.get()
  return browserLocales.find((locale) => locale.split('-')[0] === language) ?? language
}

export const formatNumber = (value: number, options?: Intl.NumberFormatOptions): string =>
  new Intl.NumberFormat(formatLocale(), options).format(value)

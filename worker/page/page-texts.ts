/** Texts of served pages. The page of the app has the language of its settings; other pages have the language of the visitor's browser. */
import { parseAccept } from 'hono/utils/accept'
import type { FirstPaintText } from '../contract/first-paint-text.ts'
import { type Language, languageFor } from '../contract/languages.ts'
import { de as firstPaintDe } from '../contract/texts/de.ts'
import { en as firstPaintEn } from '../contract/texts/en.ts'
import { translatorOf } from '../lib/translator.ts'
import { de } from './texts/de.ts'
import { en } from './texts/en.ts'

export const firstPaintTextIn = translatorOf({ en: firstPaintEn, de: firstPaintDe }) as unknown as (language: Language) => FirstPaintText

export const pageTexts: { readonly [name in Language]: { readonly [key in keyof typeof en]: string } } = { en, de }

export type PageTexts = { readonly language: Language; readonly text: (typeof pageTexts)[Language] }

/** Language tags of the `Accept-Language` header, the most preferred first. */
export const acceptedLanguages = ({ headers }: Request): readonly string[] =>
  parseAccept(headers.get('accept-language') ?? '').map(({ type }) => type)

export function pageTextsFor(request: Request): PageTexts {
  const language = languageFor(null, acceptedLanguages(request))
  return { language, text: pageTexts[language] }
}

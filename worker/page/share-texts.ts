/** The texts of a shared page, in the language that the visitor's browser asks for. */
import { type Language, languageFor } from '../contract/languages.ts'
import { de } from './texts/de.ts'
import { en } from './texts/en.ts'
import { acceptedLanguages } from './translator.ts'

const texts = { en, de }

export type ShareTexts = { readonly language: Language; readonly text: { readonly [key in keyof typeof en]: string } }

export function shareTextsFor(request: Request): ShareTexts {
  const language = languageFor(null, acceptedLanguages(request.headers.get('accept-language')))
  return { language, text: texts[language] }
}

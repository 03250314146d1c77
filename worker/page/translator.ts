/** Texts of the served HTML in the user's language. */
import { parseAccept } from 'hono/utils/accept'
import { createTranslator } from 'use-intl/core'
import type { FirstPaintText } from '../contract/first-paint-text.ts'
import type { Language } from '../contract/languages.ts'
import { de } from '../contract/texts/de.ts'
import { en } from '../contract/texts/en.ts'

const texts = { en, de }

export const translatorFor = (language: Language): FirstPaintText =>
  createTranslator<typeof en>({ locale: language, messages: texts[language] as typeof en })

/** Language tags of an `Accept-Language` header, the most preferred first. */
export const acceptedLanguages = (header: string | null): readonly string[] => parseAccept(header ?? '').map(({ type }) => type)

import { catalogue } from '../../../../../lib/i18n/text-catalogue.ts'

/** Texts of the question for the name. English, in ICU syntax. */
export const en = { question: 'What should we call you?', save: 'Save', dismiss: "Don't ask again" } as const

export const t = catalogue('nameQuestion', en)

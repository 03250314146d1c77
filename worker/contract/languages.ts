/** Languages of the interface, and the choice between them. */
const languages = ['en', 'de'] as const
export type Language = (typeof languages)[number]

/** Values of `setting.language`. `system`: the first known language of the browser. */
export const languageChoices = ['system', ...languages] as const
export type LanguageChoice = (typeof languageChoices)[number]

export const defaultLanguage: Language = 'en'

/** `preferred`: language tags in the order of preference, as in `navigator.languages`. */
export function languageFor(choice: string | null | undefined, preferred: readonly string[]): Language {
  const chosen = languages.find((language) => language === choice)
  return chosen ?? preferred.map(languageOfTag).find((language) => language !== undefined) ?? defaultLanguage
}

const languageOfTag = (tag: string): Language | undefined => {
  const [primary = ''] = tag.toLowerCase().split('-')
  return languages.find((language) => language === primary)
}

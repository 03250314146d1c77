import { loadedLanguage } from './i18n/language.ts'

/** The description of a model in the language of the page. English: the text of its row. */
export function modelDescription({ id, description }: { readonly id: string; readonly description: string }): string {
  const texts = loadedLanguage.get().catalogues?.modelDescriptions
  return texts?.[id] ?? texts?.[id.replace(/:.*/, '')] ?? description
}

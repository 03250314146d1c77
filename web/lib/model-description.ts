/** The description of a model in the language of the page. English: the text of its row. */
import type { ModelRow } from '../sync/rows.ts'
import { loadedLanguage } from './i18n/language.ts'

export function modelDescription({ id, description }: Pick<ModelRow, 'id' | 'description'>): string {
  const texts = loadedLanguage.get().catalogues?.modelDescriptions
  return texts?.[id] ?? texts?.[id.replace(/:.*/, '')] ?? description
}

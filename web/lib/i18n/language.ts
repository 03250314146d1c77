/** The language of the page, outside of React. `app.tsx` sets it before the first render, `InLanguage` when the setting changes. */
import { defaultLanguage, type Language } from '../../../worker/contract/languages.ts'
import { createStore } from '../store.ts'

/** Texts by the name of their catalogue. */
type Catalogues = { readonly [name: string]: { readonly [key: string]: string } }

type Loaded = { readonly language: Language; readonly catalogues: Catalogues | null }

/** English has no catalogues here: its texts are part of the code that shows them. */
export const loadedLanguage = createStore<Loaded>({ language: defaultLanguage, catalogues: null })

type Load = () => Promise<Catalogues>

const loaders = new Map<Language, Load>()

/** `app.tsx` provides all languages except English. */
export const provideTexts = (language: Language, load: Load): void => void loaders.set(language, load)

let wanted: Language = defaultLanguage

/** Loads the texts of a language and switches to it. If they cannot be loaded, the current language stays. */
export async function switchLanguage(language: Language): Promise<void> {
  wanted = language
  if (loadedLanguage.get().language === language) return
  const catalogues = (await loaders.get(language)?.()) ?? null
  if (wanted !== language) return
  loadedLanguage.set({ language, catalogues })
}

/** The language of the page, outside of React. It is stored for the offline shell, whose HTML is the same for all users. */
import { defaultLanguage, type Language, languageFor } from '../../../worker/contract/languages.ts'
import { withStorage } from '../browser-storage.ts'
import { pageSettings } from '../page-settings.ts'
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
async function switchLanguage(language: Language): Promise<void> {
  wanted = language
  if (loadedLanguage.get().language === language) return
  const catalogues = (await loaders.get(language)?.()) ?? null
  if (wanted !== language) return
  loadedLanguage.set({ language, catalogues })
}

const storageKey = 'parley:language'

/** Loads the texts of the first render, then calls `draw`. Without its texts the page is drawn in English. */
export function startLanguage(draw: () => void): void {
  const language = pageSettings.language ?? languageFor(storedChoice(), navigator.languages)
  if (language === defaultLanguage) draw()
  else void show(language).then(draw)
}

const storedChoice = (): string | null => withStorage((storage) => storage.getItem(storageKey)) ?? null

/** Applies the user's choice, now and when the shell starts without a network. */
export function applyLanguage(choice: string | null | undefined): void {
  withStorage((storage) => (choice ? storage.setItem(storageKey, choice) : storage.removeItem(storageKey)))
  void show(languageFor(choice, navigator.languages))
}

async function show(language: Language): Promise<void> {
  // If the texts cannot be loaded, the page keeps its language.
  await switchLanguage(language).catch(() => undefined)
  document.documentElement.lang = loadedLanguage.get().language
}

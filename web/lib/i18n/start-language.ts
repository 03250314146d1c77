/** Selects the start language and stores it for the offline shell, whose HTML is the same for all users. */
import { defaultLanguage, type Language, languageFor } from '../../../worker/contract/languages.ts'
import { withStorage } from '../browser-storage.ts'
import { pageSettings } from '../page-settings.ts'
import { loadedLanguage, switchLanguage } from './language.ts'

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

/** What the cards of a new thread write into the composer. Separate from `starters.ts`, because the first screen does not need it. */
import type { Language } from './languages.ts'
import type { StarterId } from './starters.ts'

/** The card of a file writes nothing. */
const prompts: Record<Language, Record<Exclude<StarterId, 'file'>, string>> = {
  en: {
    compare: 'Explain how tides work, in five sentences',
    research: 'Should a small company rent or buy its office? Compare costs and risks.',
    write: 'Decline an invitation politely',
  },
  de: {
    compare: 'Erkläre in fünf Sätzen, wie Ebbe und Flut entstehen',
    research: 'Soll eine kleine Firma ihr Büro mieten oder kaufen? Vergleiche Kosten und Risiken.',
    write: 'Sage eine Einladung höflich ab',
  },
}

export const starterPrompt = (id: StarterId, language: Language): string => (id === 'file' ? '' : prompts[language][id])

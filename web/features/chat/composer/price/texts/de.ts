import type { Translation } from '../../../../../lib/i18n/text-catalogue.ts'
import type { en } from './en.ts'

export const de: Translation<typeof en> = {
  messagePrice: 'Preis der nächsten Nachricht',
  planPrice: 'Das Planen ist bis zu {count, number}-mal am Tag kostenlos. Du bezahlst, wenn du die Recherche startest.',
  aboutCredits: 'Etwa {credits}',
  priceAboveMinimum:
    'Diese Nachricht sendet etwa {tokens, number} Tokens. Das Modell kostet mindestens {minimum, plural, one {# Credit} other {# Credits}}. Höchstens {most, plural, one {# Credit wird} other {# Credits werden}} reserviert, und was die Antwort nicht braucht, bekommst du zurück.',
  priceOfTools: 'Etwa {tokens, number} davon beschreiben die Werkzeuge deiner Server. Du kannst Server für einen Thread ausschalten.',
  priceIsMinimum:
    'So viel kostet das Modell mindestens. Höchstens {most, plural, one {# Credit wird} other {# Credits werden}} für eine lange Antwort reserviert, und was sie nicht braucht, bekommst du zurück.',
  startShorterThread: 'Neuen Thread beginnen',
  chooseCheaperModel: 'Günstigeres Modell wählen',
  turnLimit: 'Höchstens so viele Credits pro Antwort',
  turnLimitDescription: 'In diesem Thread. An der Grenze endet die Antwort mit dem, was sie hat.',
  turnLimitDefault: 'Automatisch',
  turnLimitError: 'Gib eine Zahl von 1 bis {max, number} ein oder nichts.',
}

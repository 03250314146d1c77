import type { en } from './en.ts'

export const de: { readonly [key in keyof typeof en]: string } = {
  untitled: 'Geteiltes Gespräch',
  continue: 'In eigener Kopie fortsetzen',
  sharedBy: 'Geteilt von',
  shared: 'Geteilt',
  question: 'Frage',
  answer: 'Antwort',
  noText: 'Diese Antwort hat keinen Text.',
  sources: 'Quellen',
  image: 'Bild',
  file: 'Datei',
  disclaimer: 'Antworten stammen von KI-Modellen und können falsch sein.',
  missing: 'Diese Seite ist nicht verfügbar',
  missingReason: 'Der Link ist falsch, abgelaufen oder wurde widerrufen.',
  tooMany: 'Zu viele Anfragen',
  tooManyReason: 'Warte eine Minute und lade diese Seite neu.',
  start: 'Gespräch beginnen',
}

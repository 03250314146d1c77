/** Texts of the shared page, in the language that the visitor's browser asks for. */
import { type Language, languageFor } from '../contract/languages.ts'
import { acceptedLanguages } from './translator.ts'

const en = {
  untitled: 'Shared conversation',
  continue: 'Continue in your own copy',
  sharedBy: 'Shared by',
  shared: 'Shared',
  question: 'Question',
  answer: 'Answer',
  noText: 'This answer has no text.',
  sources: 'Sources',
  image: 'Image',
  file: 'file',
  hint: 'Answers are written by AI models and can be wrong.',
  missing: 'This page isn’t available',
  missingReason: 'The link is wrong, has expired or was revoked.',
  start: 'Start a conversation',
}

const de: typeof en = {
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
  hint: 'Antworten stammen von KI-Modellen und können falsch sein.',
  missing: 'Diese Seite ist nicht verfügbar',
  missingReason: 'Der Link ist falsch, abgelaufen oder wurde widerrufen.',
  start: 'Gespräch beginnen',
}

const texts = { en, de }

export type ShareTexts = { readonly language: Language; readonly text: typeof en }

export function shareTextsFor(request: Request): ShareTexts {
  const language = languageFor(null, acceptedLanguages(request.headers.get('accept-language')))
  return { language, text: texts[language] }
}

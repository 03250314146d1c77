import type { Translation } from '../../../lib/i18n/text-catalogue.ts'
import type { en } from './en.ts'

export const de: Translation<typeof en> = {
  page: 'Die Seite',
  bar: 'Die Leiste',
  composer: 'Das Eingabefeld',
  dialog: 'Der Dialog',
  answerEnd: 'Das Ende der Antwort',
  image: 'Das Bild',
  unsentChanges: 'Die Liste der nicht gesendeten Änderungen',
  menu: 'Das Menü',
  find: 'Die Suchleiste',
  foundMessage: 'Die gefundene Nachricht',
  message: 'Die Nachricht',
  notification: 'Die Benachrichtigung',
  overlay: 'Das Fenster',
  messagePart: 'Dieser Teil der Nachricht',
  queue: 'Die Warteschlange',
  securityCheck: 'Die Sicherheitsprüfung',
  sidebar: 'Die Seitenleiste',
  tooltip: 'Der Hinweis',
  undoOffer: 'Das Rückgängig-Angebot',
  greeting: 'Die Begrüßung',
  thread: 'Der Thread',
  reasoning: 'Das Nachdenken',
}

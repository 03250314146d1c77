import type { Translation } from '../../../lib/i18n/text-catalogue.ts'
import type { en } from './en.ts'

export const de: Translation<typeof en> = {
  findAnything: 'Alles durchsuchen',
  backToAll: 'Zurück zu allem',
  search: 'Threads und Befehle suchen',
  searchingAll: 'Alle Threads werden durchsucht',
  results: 'Ergebnisse',
  searching: 'Suche läuft …',
  nothingFound: 'Nichts gefunden. Versuche andere Wörter.',
  chosen: 'Ausgewählt',
  recentThreads: 'Letzte Threads',
  threads: 'Threads',
  inLatestThreads: 'In deinen neuesten Threads',
  inOtherThreads: 'In anderen Threads',
  offlineNote: 'Du bist offline. Nur deine neuesten Threads wurden durchsucht.',
  failedNote: 'Nur deine neuesten Threads wurden durchsucht. {reason}',
  loadingNote: 'Ältere Nachrichten werden noch geladen. Es kann weitere Treffer geben.',
  cutNote: 'Nicht alle Threads wurden durchsucht. Grenze die Suche mit einem weiteren Wort ein.',
  thisThread: 'Dieser Thread',
  actions: 'Aktionen',
  modelOfNext: 'Modell der nächsten Nachricht',
  appearance: 'Modus, Design und Sprache',
  settings: 'Einstellungen',
}

import type { Translation } from '../../../../lib/i18n/text-catalogue.ts'
import type { en } from './en.ts'

export const de: Translation<typeof en> = {
  shareDescription:
    'Wer den Link hat, kann diesen Thread bis zur letzten Nachricht lesen, mit allen Dateien. Spätere Nachrichten kommen nicht dazu.',
  sharingOff: 'Deine Organisation erlaubt keine geteilten Links.',
  links: 'Links zu diesem Thread',
  showName: 'Deinen Namen zeigen',
  name: 'Name auf der Seite',
  enterName: 'Gib einen Namen ein.',
  shortenName: 'Gib einen kürzeren Namen ein.',
  nameInvalid: 'Der Name auf der Seite ist leer, zu lang oder enthält einen Link. Gib einen anderen ein.',
  expires: 'Läuft ab',
  never: 'Nie',
  day: 'Nach 1 Tag',
  week: 'Nach 7 Tagen',
  month: 'Nach 30 Tagen',
  listed: 'In Suchmaschinen zeigen',
  creating: 'Der Link wird erstellt',
  created: 'Link erstellt',
  createLink: 'Link erstellen',
  waitForAnswer: 'Warte zuerst auf die Antwort.',
  continueTitle: 'In eigener Kopie fortsetzen',
  continueDescription: 'Der geteilte Thread wird in deine Threads kopiert.',
  continue: 'Fortsetzen',
  copying: 'Thread wird kopiert',
  linkEnded: 'Der Link ist falsch, abgelaufen oder wurde widerrufen.',
  copyLimitReached: 'Tageslimit für Kopien und Abzweigungen erreicht. Es wird um 00:00 UTC zurückgesetzt.',
  tooManyFiles: 'Dieser Thread hat zu viele Dateien zum Kopieren.',
  copyFailed: 'Der Thread konnte nicht kopiert werden',
}

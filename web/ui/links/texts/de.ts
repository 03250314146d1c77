import type { Translation } from '../../../lib/i18n/text-catalogue.ts'
import type { en } from './en.ts'

export const de: Translation<typeof en> = {
  copyNamed: 'Link „{name}“ kopieren',
  revoke: 'Widerrufen',
  revokeNamed: 'Link „{name}“ widerrufen',
  revokeTitle: 'Link widerrufen',
  revokeQuestion: 'Die Seite ist sofort für alle weg, die den Link haben. Das lässt sich nicht rückgängig machen.',
  created: 'Erstellt am {date}',
  neverExpires: 'Läuft nicht ab',
  expires: 'Läuft am {date} ab',
  expired: 'Abgelaufen am {date}',
  threadDeleted: 'Thread gelöscht',
  revoking: 'Wird widerrufen …',
}

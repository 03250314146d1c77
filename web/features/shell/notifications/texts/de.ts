import type { Translation } from '../../../../lib/i18n/text-catalogue.ts'
import type { en } from './en.ts'

export const de: Translation<typeof en> = {
  answerReady: 'Deine Antwort ist fertig.',
  answerCut: 'Die Antwort konnte nicht fertiggestellt werden.',
  planReady: 'Dein Rechercheplan kann geprüft werden.',
  offer: 'Benachrichtigt werden, wenn eine Antwort fertig ist?',
  offerHint: 'Nur solange Parley im Hintergrund ist. Du kannst das in den Einstellungen ändern.',
  turnOn: 'Einschalten',
}

import type { Translation } from '../../../../lib/i18n/text-catalogue.ts'
import type { en } from './en.ts'

export const de: Translation<typeof en> = {
  comparison: 'Antworten nebeneinander',
  showAnswer: 'Antwort von {model} zeigen',
  answerOf: 'Antwort von {model}',
  unknownModel: 'Modell',
  stop: '{model} stoppen',
  stopping: 'Wird gestoppt …',
  actions: 'Aktionen für diese Antwort',
  details: 'Details',
  copy: 'Kopieren',
  continueWith: 'Damit weitermachen',
  follows: 'Deine nächste Nachricht setzt bei der Antwort von {model} an.',
  finished: '{model}: Antwort fertig.',
}

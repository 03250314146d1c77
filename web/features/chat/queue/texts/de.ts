import type { Translation } from '../../../../lib/i18n/text-catalogue.ts'
import type { en } from './en.ts'

export const de: Translation<typeof en> = {
  queuedMessages: 'Nachrichten in der Warteschlange',
  sentAfterAnswer: 'Wird nach der Antwort gesendet',
  sendNow: 'Jetzt senden',
  sendWithout: 'Ohne {mode} senden',
  planUnavailable:
    'Warteschlange angehalten. Sie wartet auf einen Plan oder ein Werkzeug einer Antwort, die gelöscht wurde oder eine andere Version ist.',
  paused: 'Warteschlange angehalten. {reason}',
  sentAfterReset: '{reason}. Wird nach dem Zurücksetzen um {time} automatisch gesendet.',
  stopped: 'Du hast die vorherige Antwort gestoppt.',
  interrupted: 'Die vorherige Antwort wurde unterbrochen.',
  failed: 'Die vorherige Antwort ist fehlgeschlagen.',
  planWaiting: 'Der vorherige Rechercheplan wartet auf deine Freigabe.',
  approvalWaiting: 'Die vorherige Antwort wartet auf deine Freigabe für ein Werkzeug.',
  inputWaiting: 'Ein Werkzeugserver bittet dich um Angaben für die vorherige Antwort.',
  noModel: 'Das Modell der ersten wartenden Nachricht wird nicht mehr angeboten. Wähle ein anderes.',
  noImages: 'Das Modell der ersten wartenden Nachricht kann keine Bilder lesen. Wähle ein anderes.',
  noPdfs: 'Das Modell der ersten wartenden Nachricht kann keine PDFs lesen. Wähle ein anderes.',
  unreachable:
    'Der Server des Modells der ersten wartenden Nachricht ist nicht erreichbar. Wähle ein anderes Modell oder sende sie später.',
  queuedMessage: 'Nachricht in der Warteschlange',
  sendWithModel: 'Mit anderem Modell senden',
  editQueued: 'Nachricht bearbeiten',
  removeQueued: 'Aus der Warteschlange entfernen',
  leftQueue: 'Diese Nachricht wurde gesendet oder entfernt, bevor du sie bearbeiten konntest. Ihr Text steht im Eingabefeld.',
}

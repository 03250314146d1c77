import type { Translation } from '../../../../../lib/i18n/text-catalogue.ts'
import type { en } from './en.ts'

export const de: Translation<typeof en> = {
  temporary: 'Temporärer Chat',
  temporaryHint:
    'Erscheint nicht in deinen Threads und nicht in der Suche. Wird gelöscht, wenn du ihn schließt, oder eine Stunde nach der letzten Nachricht.',
  closeTemporary: 'Temporären Chat schließen',
  openOn: 'Auch geöffnet in {devices}',
  answeringOn: 'Auch geöffnet in {devices} · „{question}“ wird beantwortet',
}

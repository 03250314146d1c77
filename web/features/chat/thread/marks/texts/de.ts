import type { Translation } from '../../../../../lib/i18n/text-catalogue.ts'
import type { en } from './en.ts'

export const de: Translation<typeof en> = {
  temporary: 'Temporärer Chat',
  temporaryHint:
    'Nicht in deinen Threads und nicht in der Suche. Wird gelöscht, wenn du ihn schließt, oder eine Stunde nach der letzten Nachricht.',
  closeTemporary: 'Temporären Chat schließen',
  openOn: 'Auch geöffnet: {devices}',
  answeringOn: 'Auch geöffnet: {devices} · Beantwortet wird „{question}“',
}

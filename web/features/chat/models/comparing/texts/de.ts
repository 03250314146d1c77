import type { Translation } from '../../../../../lib/i18n/text-catalogue.ts'
import type { en } from './en.ts'

export const de: Translation<typeof en> = {
  compare: 'Vergleichen',
  hint: 'Mehrere Modelle gleichzeitig fragen',
  count: '{count, number} von {max, number} Modellen',
  done: 'Fertig',
  compared: 'Verglichene Modelle',
  remove: '{model} entfernen',
}

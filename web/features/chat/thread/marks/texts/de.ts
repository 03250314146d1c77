import type { Translation } from '../../../../../lib/i18n/text-catalogue.ts'
import type { en } from './en.ts'

export const de: Translation<typeof en> = {
  openOn: 'Offen auf {devices}',
  answeringOn: 'Offen auf {devices}, beantwortet wird „{question}“',
}

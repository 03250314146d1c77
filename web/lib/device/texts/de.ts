import type { Translation } from '../../i18n/text-catalogue.ts'
import type { en } from './en.ts'

export const de: Translation<typeof en> = {
  unknownDevice: 'Unbekanntes Gerät',
  browserOnSystem: '{browser} auf {system}',
}

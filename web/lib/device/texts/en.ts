import { catalogue } from '../../i18n/text-catalogue.ts'

/** Descriptions of devices. English, in ICU syntax. */
export const en = {
  unknownDevice: 'Unknown device',
  browserOnSystem: '{browser} on {system}',
} as const

export const t = catalogue('device', en)

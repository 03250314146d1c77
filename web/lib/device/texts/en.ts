/** Descriptions of devices. English, in ICU syntax. */
export const en = {
  unknownDevice: 'Unknown device',
  browserOnSystem: '{browser} on {system}',
} as const

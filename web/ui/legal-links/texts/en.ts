import { catalogue } from '../../../lib/i18n/text-catalogue.ts'

/** Names of the operator's legal pages, and of the licences. English. */
export const en = {
  terms: 'Terms',
  privacy: 'Privacy',
  imprint: 'Imprint',
  licenses: 'Open-source licenses',
} as const

export const t = catalogue('legalLinks', en)

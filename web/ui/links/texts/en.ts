import { catalogue } from '../../../lib/i18n/text-catalogue.ts'

/** Texts of an item in a list of shared links. English, in ICU syntax. */
export const en = {
  copyNamed: 'Copy the link “{name}”',
  revoke: 'Revoke',
  revokeNamed: 'Revoke the link “{name}”',
  revokeTitle: 'Revoke link',
  revokeQuestion: 'The page stops working at once for everyone who has the link. This cannot be undone.',
  created: 'Created {date}',
  neverExpires: 'Does not expire',
  expires: 'Expires {date}',
  expired: 'Expired {date}',
  threadDeleted: 'Thread deleted',
  revoking: 'Revoking…',
} as const

export const t = catalogue('links', en)

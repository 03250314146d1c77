import { catalogue } from '../../../../../lib/i18n/text-catalogue.ts'

/** Texts about resources and prompts of servers in the composer. English, in ICU syntax. */
export const en = {
  modelsAndResources: 'Models and resources',
  attach: 'Attach',
  insert: 'Insert',
  reading: 'Reading {title} from {server}…',
  notRead: '{title}: {reason}',
  nothing: '{title} is empty, so nothing was inserted.',
  leftParts: '{count, plural, one {# part could not be inserted: {names}.} other {# parts could not be inserted: {names}.}}',
  openSettings: 'Open tool settings',
  dismissNotice: 'Dismiss notice',
  required: 'Required',
  moreToFind: '{name} · {shown, number} of {count, number}. Type to find more.',
} as const

export const t = catalogue('serverInserts', en)

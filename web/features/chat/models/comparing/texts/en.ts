import { catalogue } from '../../../../../lib/i18n/text-catalogue.ts'

/** Texts for choosing several models. English, in ICU syntax. */
export const en = {
  compare: 'Compare',
  hint: 'Ask several models at once',
  count: '{count, number} of {max, number} models',
  done: 'Done',
  compared: 'Compared models',
  remove: 'Remove {model}',
} as const

export const t = catalogue('comparing', en)

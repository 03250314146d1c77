/** Texts for choosing several models. English, in ICU syntax. */
export const en = {
  compare: 'Compare',
  hint: 'Ask several models at once',
  count: '{count, number} of {max, number} models',
  done: 'Done',
  compared: 'Also asked',
  remove: "Don't ask {model}",
} as const

import { catalogue } from '../../../../lib/i18n/text-catalogue.ts'

/** Texts of comparisons. English, in ICU syntax. */
export const en = {
  comparison: 'Answers side by side',
  showAnswer: 'Show the answer of {model}',
  answerOf: 'Answer of {model}',
  unknownModel: 'Model',
  stop: 'Stop {model}',
  stopping: 'Stopping…',
  actions: 'Answer actions',
  details: 'Details',
  copy: 'Copy',
  continueWith: 'Continue with this',
  follows: "Your next message continues from {model}'s answer.",
  finished: '{model}: answer finished.',
} as const

export const t = catalogue('compare', en)

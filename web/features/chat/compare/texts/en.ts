/** Texts of comparisons. English, in ICU syntax. */
export const en = {
  comparison: 'Answers side by side',
  showAnswer: 'Show the answer of {model}',
  answerOf: 'Answer of {model}',
  unknownModel: 'Model',
  stop: 'Stop {model}',
  stopping: 'Stopping…',
  details: 'Details',
  copy: 'Copy',
  continueWith: 'Continue with this',
  follows: 'Your next message follows the answer of {model}.',
  finished: '{model}: answer finished.',
} as const

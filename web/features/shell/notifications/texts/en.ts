import { catalogue } from '../../../../lib/i18n/text-catalogue.ts'

/** Texts of notifications. English, in ICU syntax. */
export const en = {
  answerReady: 'Your answer is ready.',
  answerCut: "The answer couldn't be finished.",
  planReady: 'Your research plan is ready for review.',
  offer: 'Get notified when an answer is ready?',
  offerHint: 'Only while Parley is in the background. You can change this in Settings.',
  turnOn: 'Turn on',
} as const

export const t = catalogue('notifications', en)

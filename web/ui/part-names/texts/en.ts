import { catalogue } from '../../../lib/i18n/text-catalogue.ts'

/** Names of parts of the page, in the notice of their error boundary. English. */
export const en = {
  page: 'The page',
  bar: 'The bar',
  composer: 'The composer',
  dialog: 'The dialog',
  answerEnd: 'The end of the answer',
  image: 'The image',
  unsentChanges: 'The list of unsent changes',
  menu: 'The menu',
  find: 'The find bar',
  foundMessage: 'The message that you looked up',
  message: 'The message',
  notification: 'The notification',
  overlay: 'The overlay',
  messagePart: 'This part of the message',
  queue: 'The queue',
  securityCheck: 'The security check',
  sidebar: 'The sidebar',
  tooltip: 'The tooltip',
  undoOffer: 'The undo offer',
  greeting: 'The greeting',
  thread: 'The thread',
  reasoning: 'The reasoning',
  toolbar: 'The toolbar',
  files: 'The list of files',
  suggestions: 'The list of suggestions',
  temporaryThread: 'The temporary thread',
  quoteButton: 'The quote button',
} as const

export type PartName = keyof typeof en

export const partName = catalogue('partNames', en)

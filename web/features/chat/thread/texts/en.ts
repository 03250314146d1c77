import { catalogue } from '../../../../lib/i18n/text-catalogue.ts'

/** Texts of the open thread and of the page of a new one. English, in ICU syntax. */
export const en = {
  contextMark: 'This thread is long. {model} no longer receives the messages above.',
  contextMarkButFirst: 'This thread is long. {model} no longer receives the messages above, except the first one.',
  conversation: 'Conversation',
  planReady: 'The research plan is ready. Start it when you like.',
  answerFinished: 'Answer finished.',
  madeFiles: 'Created files: {files}.',
  messageGone: 'This message is no longer available',
  openedAtFound: 'Opened at the message that was found',
  startOutside: 'Start outside of {project}',
  stopAnswer: 'Stop the answer',
  copyAsMarkdown: 'Copy thread as Markdown',
  copyWords: 'export',
  ask: 'Ask Parley “{text}”',
  fork: 'Fork thread',
  forkWords: 'branch duplicate',
  loading: 'Loading the thread',
  opening: 'Opening the thread',
  findInThread: 'Find in thread',
  resultOf: '{at, number} of {count, number}',
  noResults: 'No results',
  previousResult: 'Previous result',
  nextResult: 'Next result',
  searchingOlder: 'Searching older messages',
  olderNotSearched: 'Older messages were not searched. {reason}',
  stillWriting: 'Still writing',
  scrollDown: 'Scroll to bottom',
  you: 'You',
  exportFailed: 'The thread could not be exported. Check your connection and try again.',
  textSaved: 'Your text is saved.',
} as const

export const t = catalogue('thread', en)

import { catalogue } from '../../../../lib/i18n/text-catalogue.ts'

/** Texts of the page and the dialogs of the memory. English, in ICU syntax. */
export const en = {
  remember: 'Remember facts about me',
  rememberDescription:
    'After an answer, a small model reads what you typed and notes facts about you. Later answers get the facts that fit your question and list them. Pasted text, files, web pages, answers and temporary threads are never read.',
  search: 'Search memories',
  noMemories: 'No memories yet. They appear here after you write about yourself.',
  memoryOff: 'Memory is off. Nothing is noted, and answers get no facts.',
  offKept: 'Memory is off. Answers do not get these facts.',
  noMatch: 'No memories match.',
  full: "You've reached {max} memories. Delete some to make room for new ones.",
  edit: 'Edit: {text}',
  delete: 'Delete: {text}',
  pin: 'Pin: {text}',
  pinDescription: 'Pinned memories are given to every answer.',
  deleted: 'Memory deleted',
  source: 'From your message',
  edited: 'Edited',
  providers: 'Providers: {text}',
  allProviders: 'All providers',
  notFor: 'Not for {providers}',
  mayReceive: 'Providers that may receive it',
  editMemory: 'Edit memory',
  text: 'Text',
  textDescription: 'An edited memory stays if its message is deleted.',
  save: 'Save',
  waiting: 'Waiting for the connection.',
  used: 'Used memories',
  usedDescription: 'The answer was given these facts about you.',
  wasGiven: 'The answer was given: {text}',
  gone: 'No longer in your memory.',
  manage: 'All memories',
} as const

export const t = catalogue('memory', en)

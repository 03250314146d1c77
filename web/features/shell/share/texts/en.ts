import { catalogue } from '../../../../lib/i18n/text-catalogue.ts'

/** Texts of shared links. English, in ICU syntax. */
export const en = {
  shareDescription: 'Anyone with the link can read this thread up to its last message, with its files. Later messages are not added.',
  sharingOff: "Your organization doesn't allow shared links.",
  links: 'Links to this thread',
  showName: 'Show your name',
  name: 'Name on the page',
  enterName: 'Enter a name.',
  shortenName: 'Enter a shorter name.',
  nameInvalid: 'The name on the page is empty, too long, or contains a link. Enter another one.',
  expires: 'Expires',
  never: 'Never',
  day: 'After 1 day',
  week: 'After 7 days',
  month: 'After 30 days',
  listed: 'List in search engines',
  creating: 'Creating the link',
  created: 'Link created',
  createLink: 'Create and copy link',
  createdAndCopied: 'Link created and copied',
  link: 'Link',
  copyLink: 'Copy link',
  otherSettings: 'New link with other settings',
  waitForAnswer: 'Wait for the answer first.',
  continueTitle: 'Continue in your own copy',
  continueDescription: 'This copies the shared thread into your threads.',
  continue: 'Continue',
  copying: 'Copying the thread',
  linkEnded: 'The link is wrong, has expired or was revoked.',
  copyLimitReached: 'Daily limit of copies and forks reached. The limit resets at 00:00 UTC.',
  tooManyFiles: 'This thread has too many files to copy.',
  copyFailed: 'The thread could not be copied',
} as const

export const t = catalogue('share', en)

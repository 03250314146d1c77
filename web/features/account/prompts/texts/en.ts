import { catalogue } from '../../../../lib/i18n/text-catalogue.ts'

/** Texts of the page and the dialog of prompts. English, in ICU syntax. */
export const en = {
  intro: 'Type / in a message to insert a prompt.',
  newPrompt: 'New prompt',
  editPrompt: 'Edit prompt',
  noPrompts: 'No prompts yet.',
  name: 'Name',
  text: 'Text',
  textHint: 'Write {example} for a part that you fill in each time.',
  create: 'Create',
  save: 'Save',
  waiting: 'Waiting for the connection.',
  edit: 'Edit {name}',
  delete: 'Delete {name}',
  deleted: 'Prompt deleted',
  sharing: 'Share {name}',
  onlyYou: 'Only you',
  sharedByOthers: 'Shared with you',
  stopSharing: 'Remove from {organization}',
  removed: 'Removed from {organization}',
} as const

export const t = catalogue('prompts', en)

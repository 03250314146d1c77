import { catalogue } from '../../../../../lib/i18n/text-catalogue.ts'

/** Texts of prompts, models for one message and drafts in the composer. English, in ICU syntax. */
export const en = {
  draftOfDevice: 'Draft from another device: {preview}',
  prompts: 'Prompts',
  models: 'Models for this message',
  sharedWith: 'Shared with {organization}',
  createPrompt: 'Create a prompt',
  createPromptHint: 'Save texts that you use often.',
  onlyThisMessage: 'Only this message',
  removeModel: 'Remove {model}',
  fillIn: '{left, plural, =0 {Fill in {name}.} other {Fill in {name}. # more to fill in.}}',
  next: 'Next',
  saveAsPrompt: 'Save text as prompt',
  saveAsPromptWords: 'prompt library template reuse',
} as const

export const t = catalogue('textTools', en)

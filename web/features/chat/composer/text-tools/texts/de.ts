import type { Translation } from '../../../../../lib/i18n/text-catalogue.ts'
import type { en } from './en.ts'

export const de: Translation<typeof en> = {
  draftOfDevice: 'Entwurf von einem anderen Gerät: {preview}',
  prompts: 'Prompts',
  models: 'Modelle für diese Nachricht',
  sharedWith: 'Geteilt mit {organization}',
  createPrompt: 'Prompt erstellen',
  createPromptHint: 'Speichere Texte, die du oft verwendest.',
  onlyThisMessage: 'Nur diese Nachricht',
  removeModel: '{model} entfernen',
  fillIn: '{left, plural, =0 {Fülle {name} aus.} other {Fülle {name} aus. Danach noch #.}}',
  next: 'Weiter',
  saveAsPrompt: 'Text als Prompt speichern',
  saveAsPromptWords: 'prompt bibliothek vorlage wiederverwenden',
}

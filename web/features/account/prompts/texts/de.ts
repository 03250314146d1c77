import type { Translation } from '../../../../lib/i18n/text-catalogue.ts'
import type { en } from './en.ts'

export const de: Translation<typeof en> = {
  intro: 'Gib in einer Nachricht / ein, um einen Prompt einzufügen.',
  newPrompt: 'Neuer Prompt',
  editPrompt: 'Prompt bearbeiten',
  noPrompts: 'Noch keine Prompts.',
  name: 'Name',
  text: 'Text',
  textDescription: 'Schreibe {example} für einen Teil, den du jedes Mal ausfüllst.',
  create: 'Erstellen',
  save: 'Speichern',
  waiting: 'Warten auf die Verbindung.',
  edit: '{name} bearbeiten',
  delete: '{name} löschen',
  deleted: 'Prompt gelöscht',
  sharing: '{name} teilen',
  onlyYou: 'Nur du',
  sharedByOthers: 'Mit dir geteilt',
  stopSharing: 'Aus {organization} entfernen',
  removed: 'Aus {organization} entfernt',
}

import type { Translation } from '../../../../../lib/i18n/text-catalogue.ts'
import type { en } from './en.ts'

export const de: Translation<typeof en> = {
  modelsAndResources: 'Modelle und Ressourcen',
  attach: 'Anhängen',
  insert: 'Einfügen',
  reading: '{title} wird von {server} gelesen …',
  notRead: '{title}: {reason}',
  nothing: '{title} ist leer, deshalb wurde nichts eingefügt.',
  leftParts:
    '{count, plural, one {# Teil konnte nicht eingefügt werden: {names}.} other {# Teile konnten nicht eingefügt werden: {names}.}}',
  openSettings: 'Einstellungen der Werkzeuge öffnen',
  dismissNotice: 'Hinweis schließen',
  required: 'Erforderlich',
  moreToFind: '{name} · {shown, number} von {count, number}. Tippe, um weitere zu finden.',
}

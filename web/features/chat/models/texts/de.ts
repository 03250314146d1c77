import type { Translation } from '../../../../lib/i18n/text-catalogue.ts'
import type { en } from './en.ts'

export const de: Translation<typeof en> = {
  suggested: 'Vorgeschlagen',
  everyday: 'Schnell und gut für alltägliche Fragen',
  smart: 'Das stärkste, für schwierige Aufgaben und lange Texte',
  cheap: 'Kostet wenig, für kurze Fragen',
  pinned: 'Angeheftet',
  makers: 'Hersteller',
  switchModel: 'Modell wechseln',
  whichModel: 'Welches Modell?',
  unpin: 'Nicht mehr anheften',
  pin: 'Anheften',
  chooseModel: 'Modell wählen',
  model: 'Modell',
  findModel: 'Modell suchen',
  findModelPlaceholder: 'Modell suchen …',
  models: 'Modelle',
  noModels: 'Kein Modell passt zu deiner Suche.',
  noPinned: 'Noch keine angehefteten Modelle. Wähle einen Hersteller und hefte eines seiner Modelle an.',
  resetsDaily: 'Wird täglich zurückgesetzt',
  compare: 'Vergleichen',
  compareDescription: 'Mehrere Modelle fragen',
  comparedCount: '{count, number} von {max, number} Modellen',
  compareDone: 'Fertig',
  compared: 'Verglichene Modelle',
  removeCompared: '{model} entfernen',
}

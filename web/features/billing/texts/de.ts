import type { Translation } from '../../../lib/i18n/text-catalogue.ts'
import type { en } from './en.ts'

export const de: Translation<typeof en> = {
  upgradeToPro: 'Auf PRO upgraden',
  insteadOf: 'Statt',
  aMonth: 'im Monat',
  saveOver70: 'Über 70 % günstiger als einzelne Chat-Abos.',
  proModels: 'Zugang zu PRO-Modellen',
  researchTool: 'Zugang zum Recherche-Werkzeug',
  higherLimits: 'Höhere Limits für die Suche',
  creditsDaily: '{credits, number} Credits täglich',
  createAccount: 'Erstelle ein Konto: {credits, number} Credits täglich und mehr Modelle',
  logInToKeep: 'Melde dich an, um deine Threads zu behalten und mehr Modelle zu nutzen.',
  getStarted: 'Loslegen',
  hasPro: 'Du hast jetzt PRO',
  hasProDetail: 'Alle Modelle stehen dir auf allen Geräten zur Verfügung.',
  processing: 'Deine Zahlung wird bearbeitet',
  processingDetail: 'PRO beginnt automatisch, sobald die Zahlung bestätigt ist.',
  subscribed: 'Du hast bereits ein Abo',
  subscribedDetail: 'Es wurde nichts abgebucht. Du kannst das Abo hier verwalten.',
  noCustomer: 'Es gibt kein Abo zu verwalten',
  checkoutBusy: 'Eine Zahlung wird gerade vorbereitet',
  checkoutBusyDetail:
    'Versuche es in {seconds, plural, one {# Sekunde} other {# Sekunden}} noch einmal. Es wurde nichts doppelt abgebucht.',
  checkoutFailed: 'Die Bezahlseite konnte nicht geöffnet werden',
  checkoutFailedDetail: 'Es wurde nichts abgebucht. Versuche es gleich noch einmal.',
}

import type { Translation } from '../../../i18n/text-catalogue.ts'
import type { en } from './en.ts'

export const de: Translation<typeof en> = {
  message_empty: 'Die Nachricht ist leer',
  message_too_long: 'Diese Nachricht ist zu lang. Kürze sie und sende sie noch einmal.',
  message_too_long_by: 'Eine Nachricht kann bis zu {max, number} Zeichen haben. Kürze sie um {excess, number}.',
  message_over_budget:
    'Diese Nachricht ist in deinem Tarif zu lang für dieses Modell. Kürze sie, entferne Dateien oder wähle ein anderes Modell.',
  thread_busy: 'In diesem Thread wird noch eine Antwort geschrieben. Warte auf sie oder stoppe sie zuerst.',
  no_model: 'Kein Modell ausgewählt',
  model_unavailable: 'Dieses Modell ist gerade nicht verfügbar. Wähle ein anderes.',
  account_required: 'Für dieses Modell brauchst du ein Konto',
  premium_required: 'Für dieses Modell brauchst du PRO',
  credits_exhausted: 'Tageslimit erreicht',
  credits_short: 'Das kostet mehr Credits, als du heute noch hast',
  credits_short_by: '{credits, plural, one {Kostet etwa # Credit} other {Kostet etwa # Credits}}, du hast heute noch {left, number}',
  credits_above_day: 'Kostet mehr Credits, als ein Tag hat. Beginne einen neuen Thread oder wähle ein günstigeres Modell.',
  credits_above_day_by:
    'Kostet etwa {credits, number} Credits, ein Tag hat {limit, number}. Beginne einen neuen Thread oder wähle ein günstigeres Modell.',
  own_daily_limit_reached: 'Von deinem Limit für den Tag ist zu wenig übrig',
  own_monthly_limit_reached: 'Von deinem Limit für den Monat ist zu wenig übrig',
  turn_credits_short: 'Über der Credit-Grenze dieses Threads',
  model_retired: 'Dieses Modell wird nicht mehr angeboten. Wähle ein anderes.',
  model_not_connected: 'Dieses Modell ist nicht verbunden. Wähle ein anderes.',
  no_model_connected: 'Mit diesem Server ist kein Modell verbunden. Der Betreiber muss eines verbinden.',
  model_not_installed: 'Dieses Modell ist nicht mehr auf dem verbundenen Server. Wähle ein anderes.',
  model_unreachable_now: 'Der Server dieses Modells ist nicht erreichbar. Wähle ein anderes Modell oder versuche es später noch einmal.',
  images_unsupported: 'Dieses Modell kann keine Bilder lesen. Wähle ein anderes Modell oder entferne sie.',
  documents_unsupported: 'Dieses Modell kann keine PDFs lesen. Wähle ein anderes Modell oder entferne sie.',
  file_missing: 'Eine Datei dieser Nachricht ist nicht mehr gespeichert. Entferne sie und hänge sie neu an.',
  files_uploading: 'Dateien werden noch hochgeladen',
  file_failed: 'Eine Datei konnte nicht hochgeladen werden. Versuche es noch einmal oder entferne sie.',
  content_full:
    'Dein Speicher für Nachrichten ist voll. Lösche Threads, die du nicht mehr brauchst. Gelöschte Threads zählen noch 30 Tage.',
  files_unavailable: 'Anhänge sind nicht eingerichtet',
  tools_unsupported: 'Dieses Modell kann keine Werkzeuge nutzen',
  tool_limit_reached: 'Tageslimit erreicht',
  search_unavailable: 'Die Suche ist nicht eingerichtet',
  research_account_required: 'Recherche braucht ein Konto mit PRO',
  research_premium_required: 'Recherche gibt es nur mit PRO',
}

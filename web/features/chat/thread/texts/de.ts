import type { Translation } from '../../../../lib/i18n/text-catalogue.ts'
import type { en } from './en.ts'

export const de: Translation<typeof en> = {
  contextMark: 'Dieser Thread ist lang. {model} erhält die Nachrichten oberhalb nicht mehr.',
  contextMarkButFirst: 'Dieser Thread ist lang. {model} erhält die Nachrichten oberhalb nicht mehr, außer der ersten.',
  conversation: 'Gespräch',
  planReady: 'Der Rechercheplan ist fertig. Starte ihn, wenn du möchtest.',
  answerFinished: 'Antwort fertig.',
  madeFiles: 'Dabei entstanden: {files}.',
  messageGone: 'Diese Nachricht ist nicht mehr verfügbar',
  openedAtFound: 'Bei der gefundenen Nachricht geöffnet',
  startOutside: 'Außerhalb von {project} beginnen',
  stopAnswer: 'Antwort stoppen',
  copyAsMarkdown: 'Thread als Markdown kopieren',
  copyWords: 'export',
  fork: 'Thread abzweigen',
  forkWords: 'kopieren duplizieren',
  loading: 'Thread wird geladen',
  opening: 'Thread wird geöffnet',
  scrollDown: 'Nach unten scrollen',
  textSaved: 'Dein Text ist gespeichert.',
}

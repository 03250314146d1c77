import { catalogue } from '../../../../../lib/i18n/text-catalogue.ts'

/** Texts of the marks of a thread: temporary, and open on other devices. English, in ICU syntax. */
export const en = {
  temporary: 'Temporary chat',
  temporaryHint: "Doesn't appear in your threads or search. Deleted when you close it, or one hour after the last message.",
  closeTemporary: 'Close temporary chat',
  openOn: 'Also open in {devices}',
  answeringOn: 'Also open in {devices} · Answering “{question}”',
} as const

export const t = catalogue('marks', en)

/** Texts of the marks of a thread: temporary, and open on other devices. English, in ICU syntax. */
export const en = {
  temporary: 'Temporary chat',
  temporaryHint: "Doesn't appear in your threads or search. Deleted when you close it, or an hour after the last turn.",
  closeTemporary: 'Close temporary chat',
  openOn: 'Also open in {devices}',
  answeringOn: 'Also open in {devices} · Answering “{question}” here',
} as const

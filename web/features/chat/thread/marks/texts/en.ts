/** Texts of the marks of a thread: temporary, and open on other devices. English, in ICU syntax. */
export const en = {
  temporary: 'Temporary chat',
  temporaryHint: 'Not in your threads or the search. Deleted when you close it, or an hour after the last message.',
  closeTemporary: 'Close temporary chat',
  openOn: 'Also open: {devices}',
  answeringOn: 'Also open: {devices} · Answering “{question}”',
} as const

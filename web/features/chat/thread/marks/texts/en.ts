/** Texts of the marks of a thread: temporary, and open on other devices. English, in ICU syntax. */
export const en = {
  temporary: 'Temporary chat',
  temporaryHint: 'Not in your threads or the search. Deleted when you close it, or an hour after the last message.',
  closeTemporary: 'Close temporary chat',
  openOn: 'Open on {devices}',
  answeringOn: 'Open on {devices}, answering “{question}”',
} as const

/** Texts of the mark of a thread that is open on other devices. English, in ICU syntax. */
export const en = {
  openOn: 'Open on {devices}',
  answeringOn: 'Open on {devices}, answering “{question}”',
} as const

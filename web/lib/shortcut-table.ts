/** Every shortcut once: description and keys. Read by handlers, tooltips and the shortcut sheet. */

/** `mod` is Command on Apple keyboards and Control elsewhere. */
export type Keys = { readonly key: string; readonly mod?: boolean; readonly shift?: boolean; readonly alt?: boolean }

type Row = Keys & { readonly does: string }

/** Active on the whole page, unless the keys have a meaning in the focused text field. */
export const pageShortcuts = {
  palette: { does: 'Find a thread, or do anything', key: 'k', mod: true },
  newThread: { does: 'New thread', key: 'o', mod: true, shift: true },
  sidebar: { does: 'Show or hide the sidebar', key: 'b', mod: true },
  previousThread: { does: 'Previous thread', key: 'ArrowUp', alt: true },
  nextThread: { does: 'Next thread', key: 'ArrowDown', alt: true },
  copyAnswer: { does: 'Copy the last answer', key: 'c', mod: true, shift: true },
  help: { does: 'Keyboard shortcuts', key: '?' },
} as const satisfies Record<string, Row>

/** Active in the composer. A text field handles the second one natively. */
export const composerShortcuts = {
  send: { does: 'Send the message', key: 'Enter' },
  newLine: { does: 'New line', key: 'Enter', shift: true },
  stepBack: { does: 'Stop the answer, or cancel an edit', key: 'Escape' },
} as const satisfies Record<string, Row>

export type PageShortcut = keyof typeof pageShortcuts

const { send, newLine, stepBack } = composerShortcuts
/** For users whose Enter key adds a new line. */
const swapped: readonly Row[] = [{ ...newLine, does: send.does }, { ...send, does: newLine.does }, stepBack]

/** As shown in the shortcut sheet. */
export const shortcutGroups = (enterSends: boolean): readonly { readonly name: string; readonly rows: readonly Row[] }[] => [
  { name: 'Everywhere', rows: Object.values(pageShortcuts) },
  { name: 'While writing', rows: enterSends ? Object.values(composerShortcuts) : swapped },
]

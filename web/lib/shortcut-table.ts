/** Every shortcut once: description (a key of the texts) and keys. Read by handlers, tooltips and the shortcut sheet. */

/** `mod` is Command on Apple keyboards and Control elsewhere. */
export type Keys = { readonly key: string; readonly mod?: boolean; readonly shift?: boolean; readonly alt?: boolean }

type Description =
  | (
      | 'paletteKey'
      | 'newThreadKey'
      | 'temporaryKey'
      | 'sidebarKey'
      | 'previousThreadKey'
      | 'nextThreadKey'
      | 'findKey'
      | 'quoteKey'
      | 'copyAnswerKey'
      | 'helpKey'
      | 'stopKey'
    )
  | ('sendKey' | 'newLineKey' | 'stepBackKey')

export type ShortcutRow = Keys & { readonly descriptionKey: Description }

/** Active on the whole page, unless the keys have a meaning in the focused text field. */
export const pageShortcuts = {
  palette: { descriptionKey: 'paletteKey', key: 'k', mod: true },
  newThread: { descriptionKey: 'newThreadKey', key: 'o', mod: true, shift: true },
  temporary: { descriptionKey: 'temporaryKey', key: 'e', mod: true, shift: true },
  sidebar: { descriptionKey: 'sidebarKey', key: 'b', mod: true },
  previousThread: { descriptionKey: 'previousThreadKey', key: 'ArrowUp', alt: true },
  nextThread: { descriptionKey: 'nextThreadKey', key: 'ArrowDown', alt: true },
  /** While the focus is in a thread; in the find bar it is the browser's. */
  find: { descriptionKey: 'findKey', key: 'f', mod: true },
  /** The character of a Markdown quotation. */
  quote: { descriptionKey: 'quoteKey', key: '>', mod: true },
  copyAnswer: { descriptionKey: 'copyAnswerKey', key: 'c', mod: true, shift: true },
  /** While the focus is in the thread or nowhere. */
  stop: { descriptionKey: 'stopKey', key: 'Escape' },
  help: { descriptionKey: 'helpKey', key: '?' },
} as const satisfies Record<string, ShortcutRow>

/** Active in the composer. A text field handles the second one natively. */
export const composerShortcuts = {
  send: { descriptionKey: 'sendKey', key: 'Enter' },
  newLine: { descriptionKey: 'newLineKey', key: 'Enter', shift: true },
  stepBack: { descriptionKey: 'stepBackKey', key: 'Escape' },
} as const satisfies Record<string, ShortcutRow>

export type PageShortcut = keyof typeof pageShortcuts

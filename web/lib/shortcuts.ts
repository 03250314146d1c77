/**
 * Page-wide keyboard shortcuts. Chords with Control or Command work everywhere. Chords with Alt alone move the text cursor on some systems,
 * so they do not apply in a text field with text; single characters apply in no field. Keys of an input method are ignored.
 */
import { useEffect, useEffectEvent } from 'react'
import { withStorage } from './browser-storage.ts'
import { createStore } from './store.ts'

type Pressed = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>

export const isApple = /Mac|iPhone|iPad/.test(globalThis.navigator?.userAgent ?? '')

export const matches = (keys: Keys, event: Pressed, apple = isApple): boolean =>
  event.key.toLowerCase() === keys.key.toLowerCase() &&
  (apple ? event.metaKey : event.ctrlKey) === (keys.mod ?? false) &&
  (apple ? event.ctrlKey : event.metaKey) === false &&
  // The keyboard layout decides which modifiers a character needs.
  (isSign(keys.key) || (event.shiftKey === (keys.shift ?? false) && event.altKey === (keys.alt ?? false)))

/** The send key of a text field. Control or Command with Enter always sends, as in other programs. */
export const isSend = ({ key, ctrlKey, metaKey, shiftKey, altKey }: Pressed, enterSends: boolean): boolean =>
  key === composerShortcuts.send.key && !altKey && (ctrlKey || metaKey ? !shiftKey : shiftKey !== enterSends)

const isSign = (key: string): boolean => key.length === 1 && !/[a-z0-9]/i.test(key)

/** True for a key of an input method, such as the Enter that accepts a word. Safari reports some of these after the composition has ended. */
export const isInputMethodKey = ({ isComposing, keyCode }: Pick<KeyboardEvent, 'isComposing' | 'keyCode'>): boolean =>
  isComposing || keyCode === 229

/** A handler that returns false leaves the keys to the browser. */
export function useShortcuts(handlers: { readonly [name in PageShortcut]?: () => unknown }): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || isInputMethodKey(event)) return
    const pressed = (Object.keys(pageShortcuts) as PageShortcut[]).find((name) => matches(pageShortcuts[name], event))
    const run = pressed && handlers[pressed]
    if (!run || isOwnKey(pageShortcuts[pressed], event.target) || isModalOpen()) return
    if (run() !== false) event.preventDefault()
  })
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => onKey(event)
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [])
}

/** Types of `<input>` that take no text. The value of a checkbox or a radio button is "on". */
const inputsWithoutText: ReadonlySet<string> = new Set(['button', 'checkbox', 'color', 'file', 'radio', 'range', 'reset', 'submit'])

/** True if the keys have a meaning where the focus is. */
function isOwnKey({ key, mod, alt }: Keys, target: EventTarget | null): boolean {
  if (mod || key === 'F2') return false
  // Escape closes the menu or panel with the focus.
  if (key === 'Escape' && target !== document.body && !(target instanceof Element && target.closest('[role="log"]'))) return true
  if (target instanceof HTMLElement && target.isContentEditable) return true
  // With Alt, an empty field ignores the keys.
  if (target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && !inputsWithoutText.has(target.type)))
    return !alt || target.value !== ''
  return (document.getSelection()?.toString() ?? '') !== ''
}

/** True while a modal dialog is open: shortcuts and drops on the page are ignored. */
export const isModalOpen = (): boolean => document.querySelector('[aria-modal="true"]') !== null

/** Whether Enter sends or adds a new line. Stored per browser, because the choice depends on the keyboard. */
const key = 'parley:enter'

export const enterSends = createStore<boolean>(withStorage((storage) => storage.getItem(key)) !== 'new-line')

export function setEnterSends(sends: boolean): void {
  enterSends.set(sends)
  withStorage((storage) => (sends ? storage.removeItem(key) : storage.setItem(key, 'new-line')))
}

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
      | 'renameKey'
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
  /** The open thread, or the one with the focus in the sidebar. */
  rename: { descriptionKey: 'renameKey', key: 'F2' },
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

type PageShortcut = keyof typeof pageShortcuts

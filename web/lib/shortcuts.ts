/**
 * Keyboard shortcuts of the whole page. Chords with Control or Command may be pressed anywhere; those with Alt alone move a
 * text cursor on some systems, so they are left to a person who is typing or selecting, and a character alone to every field.
 * Nothing is taken from an input method.
 */
import { useEffect, useRef } from 'react'
import { composerShortcuts, type Keys, type PageShortcut, pageShortcuts } from './shortcut-table.ts'

type Pressed = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>

export const isApple = /Mac|iPhone|iPad/.test(globalThis.navigator?.userAgent ?? '')

export const matches = (keys: Keys, event: Pressed, apple = isApple): boolean =>
  event.key.toLowerCase() === keys.key.toLowerCase() &&
  (apple ? event.metaKey : event.ctrlKey) === (keys.mod ?? false) &&
  (apple ? event.ctrlKey : event.metaKey) === false &&
  // Which of these a sign needs is the keyboard's business.
  (isSign(keys.key) || (event.shiftKey === (keys.shift ?? false) && event.altKey === (keys.alt ?? false)))

/** Where a text is written. With Control or Command, Enter sends in any case, as in programs where alone it does not. */
export const isSend = ({ key, ctrlKey, metaKey, shiftKey, altKey }: Pressed, enterSends: boolean): boolean =>
  key === composerShortcuts.send.key && !altKey && (ctrlKey || metaKey ? !shiftKey : shiftKey !== enterSends)

const isSign = (key: string): boolean => key.length === 1 && !/[a-z0-9]/i.test(key)

export function useShortcuts(handlers: { readonly [name in PageShortcut]?: () => void }): void {
  const latestRef = useRef(handlers)
  useEffect(() => {
    latestRef.current = handlers
  })
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return
      const heard = (Object.keys(pageShortcuts) as PageShortcut[]).find((name) => matches(pageShortcuts[name], event))
      const run = heard && latestRef.current[heard]
      if (!run || isOwnKey(pageShortcuts[heard], event.target) || document.querySelector('dialog:modal')) return
      event.preventDefault()
      run()
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [])
}

/** Whether these keys mean something to whoever is writing or selecting here. */
function isOwnKey({ mod, alt }: Keys, target: EventTarget | null): boolean {
  if (mod) return false
  if (target instanceof HTMLElement && target.isContentEditable) return true
  // With Alt nothing is written into an empty field.
  if (target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement) return !alt || target.value !== ''
  return (document.getSelection()?.toString() ?? '') !== ''
}

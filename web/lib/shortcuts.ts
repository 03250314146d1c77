/**
 * Keyboard shortcuts of the whole page. Chords with Control or Command may be pressed anywhere; those with Alt alone move a
 * text cursor on some systems, so they are left to a person who is typing or selecting. Nothing is taken from an input method.
 */
import { useEffect, useRef } from 'react'

export type Shortcut = {
  readonly key: string
  readonly mod?: boolean
  readonly shift?: boolean
  readonly alt?: boolean
  readonly run: () => void
}

type Keys = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>

const isApple = /Mac|iPhone|iPad/.test(globalThis.navigator?.userAgent ?? '')

export const matches = (shortcut: Omit<Shortcut, 'run'>, event: Keys, apple = isApple): boolean =>
  event.key.toLowerCase() === shortcut.key.toLowerCase() &&
  (apple ? event.metaKey : event.ctrlKey) === (shortcut.mod ?? false) &&
  (apple ? event.ctrlKey : event.metaKey) === false &&
  event.shiftKey === (shortcut.shift ?? false) &&
  event.altKey === (shortcut.alt ?? false)

export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  const latestRef = useRef(shortcuts)
  useEffect(() => {
    latestRef.current = shortcuts
  })
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return
      const shortcut = latestRef.current.find((candidate) => matches(candidate, event))
      if (!shortcut || (!shortcut.mod && isWritingOrSelecting(event.target)) || document.querySelector('dialog:modal')) return
      event.preventDefault()
      shortcut.run()
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [])
}

/** A focused but empty field is not being written in. */
function isWritingOrSelecting(target: EventTarget | null): boolean {
  if (target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement) return target.value !== ''
  if (target instanceof HTMLElement && target.isContentEditable) return true
  return (document.getSelection()?.toString() ?? '') !== ''
}

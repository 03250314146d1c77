import { hasKeyboard } from '../../../lib/has-keyboard.ts'

/**
 * Moves the focus when the focused element disappears. On touch devices, where the keyboard would cover the text, the conversation around
 * `inside` gets the focus.
 */
export function focusComposer(inside: Element | null): void {
  const target = hasKeyboard()
    ? document.querySelector('form[aria-label="Composer"] textarea')
    : (inside?.closest('[role="log"]') ?? document.querySelector('[role="log"]'))
  if (target instanceof HTMLElement) target.focus({ preventScroll: true })
}

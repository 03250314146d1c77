import { hasKeyboard } from '../../lib/has-keyboard.ts'

/** For a focus whose place has gone; where the keyboard would open over what is being read, the conversation around `inside` takes it. */
export function focusComposer(inside: Element | null): void {
  const target = hasKeyboard()
    ? document.querySelector('form[aria-label="Composer"] textarea')
    : (inside?.closest('[role="log"]') ?? document.querySelector('[role="log"]'))
  if (target instanceof HTMLElement) target.focus({ preventScroll: true })
}

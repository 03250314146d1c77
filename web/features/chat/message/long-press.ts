/** Opens the menu of a message by a long press of a finger. A browser would select a word instead, so the text must not be selectable. */
import type { MouseEvent, PointerEvent } from 'react'

/** Chosen: as long as browsers wait. */
const longPressMs = 500

/** Chosen: a finger that moves farther scrolls or swipes. */
const movedPx = 10

/** Handlers of the element of a message, whose menu has a button in it. */
export const longPress = {
  onPointerDown: ({ currentTarget, pointerType, isPrimary, clientX, clientY }: PointerEvent<HTMLElement>) => {
    if (pointerType !== 'touch' || !isPrimary) return
    const controller = new AbortController()
    const timer = setTimeout(() => {
      controller.abort()
      openMenuIn(currentTarget)
      // The finger is still down. Lifting it must not press what is under it now.
      addEventListener('touchend', (event) => event.preventDefault(), { once: true, capture: true, passive: false })
    }, longPressMs)
    const end = () => {
      clearTimeout(timer)
      controller.abort()
    }
    const options = { signal: controller.signal, capture: true, passive: true }
    for (const type of ['pointerup', 'pointercancel', 'scroll']) addEventListener(type, end, options)
    addEventListener('pointermove', (event) => Math.hypot(event.clientX - clientX, event.clientY - clientY) > movedPx && end(), options)
  },
  // Android sends it for a long press, and keyboards have a key for it. With a mouse, the browser's own menu opens.
  onContextMenu: (event: MouseEvent<HTMLElement>) => {
    if (event.nativeEvent instanceof window.PointerEvent && event.nativeEvent.pointerType === 'mouse') return
    event.preventDefault()
    openMenuIn(event.currentTarget)
  },
}

function openMenuIn(message: HTMLElement): void {
  message.querySelector<HTMLElement>('[aria-haspopup="menu"][aria-expanded="false"]')?.click()
}

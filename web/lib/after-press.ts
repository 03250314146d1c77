/**
 * What leaving a field changes on the page, once the press that left it is over: whatever is pressed stays under the pointer from its way
 * down to its way up, or the press would be no click. A touch is a mouse here as well, because browsers make one of it before they move
 * the focus. It runs before the click does.
 */
const ends = ['mouseup', 'contextmenu', 'dragend', 'pointercancel', 'keydown', 'blur'] as const
const onWayDown = { capture: true, passive: true } as const

let isDown = false
const waiting = new Set<() => void>()

function end(event: Event): void {
  // Focus that moves within the page is lost on the way down to its element; the window itself is the target when the page loses it.
  if (event.type === 'blur' && event.target !== window) return
  isDown = false
  const due = [...waiting]
  waiting.clear()
  for (const run of due) run()
}

if (typeof window !== 'undefined') {
  window.addEventListener('mousedown', ({ button }) => (isDown = button === 0), onWayDown)
  for (const name of ends) window.addEventListener(name, end, onWayDown)
}

/** At once when nothing is pressed. What it returns forgets about it. */
export function afterPress(run: () => void): () => void {
  if (!isDown) {
    run()
    return () => undefined
  }
  waiting.add(run)
  return () => waiting.delete(run)
}

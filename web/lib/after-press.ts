/**
 * Delays the layout changes of a blur until the press that caused it has ended. Otherwise the pressed element could move between pointer
 * down and up, and no click would fire. Mouse events cover touch as well, because browsers emit them before they move the focus. The
 * delayed work runs before the click handler.
 */
const ends = ['mouseup', 'contextmenu', 'dragend', 'pointercancel', 'keydown', 'blur'] as const
const captureOptions = { capture: true, passive: true } as const

let isDown = false
const waiting = new Set<() => void>()

function end(event: Event): void {
  // Focus moves within the page do not reach this listener as blur of the window; only the page losing the focus does.
  if (event.type === 'blur' && event.target !== window) return
  isDown = false
  const due = [...waiting]
  waiting.clear()
  for (const run of due) run()
}

if (typeof window !== 'undefined') {
  window.addEventListener('mousedown', ({ button }) => (isDown = button === 0), captureOptions)
  for (const name of ends) window.addEventListener(name, end, captureOptions)
}

/** Runs at once when nothing is pressed. Returns a function that cancels it. */
export function afterPress(run: () => void): () => void {
  if (!isDown) {
    run()
    return () => undefined
  }
  waiting.add(run)
  return () => waiting.delete(run)
}

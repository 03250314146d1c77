const gestures = ['pointermove', 'pointerdown', 'touchstart', 'keydown', 'input'] as const

/**
 * Runs `work` once, when the page is idle after the first user gesture. It loads code for later use: not during the first load, and before
 * the network can disconnect.
 */
export function afterFirstGesture(work: () => void): () => void {
  const controller = new AbortController()
  const begin = () => {
    controller.abort()
    // Safari has no idle callbacks.
    if ('requestIdleCallback' in window) requestIdleCallback(work, { timeout: 2000 })
    else setTimeout(work, 200)
  }
  for (const gesture of gestures) window.addEventListener(gesture, begin, { signal: controller.signal, passive: true })
  return () => controller.abort()
}

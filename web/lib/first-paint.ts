/** The first paint: markup in the served HTML, shown until React has rendered (`worker/page/first-paint.ts`). */

// Unit tests have no document, or one without elements.
const firstPaint = globalThis.document?.getElementById?.('first-paint') ?? null

/** The text field of the first paint; accepts input until the composer replaces it. */
export const firstPaintField = firstPaint?.querySelector('textarea') ?? null

/** True if the user pressed Send in the first paint. The composer of this draft sends the text once its data is loaded. */
export const isSentInFirstPaint = (draftKey: string): boolean =>
  firstPaintField?.dataset.draftKey === draftKey && firstPaintField.dataset.isSent !== undefined

/** The starting point that the user pressed in the first paint, once. */
export function takePressedStarter(): string | undefined {
  const pressed = firstPaint?.dataset.starter
  delete firstPaint?.dataset.starter
  return pressed
}

/** True if the user has used the first paint. */
export const hasFirstPaintGesture = (): boolean => firstPaint?.dataset.hasGesture !== undefined

/** Chosen: upper limit of the wait. An occluded window counts as visible, but never paints. */
const maxPaintWaitMs = 3000

/** Resolves at the first paint, or after `maxPaintWaitMs`. At once without a first paint, in a background page, or without paint timing. */
export function untilPainted(): Promise<void> {
  if (!firstPaint || document.visibilityState === 'hidden' || !PerformanceObserver.supportedEntryTypes.includes('paint'))
    return Promise.resolve()
  return new Promise((resolve) => {
    new PerformanceObserver(() => resolve()).observe({ type: 'paint', buffered: true })
    document.addEventListener('visibilitychange', () => resolve(), { once: true })
    setTimeout(resolve, maxPaintWaitMs)
  })
}

export const hasFirstPaint = (): boolean => firstPaint?.isConnected === true

/**
 * Removes the first paint when React renders the first `main`; if a button is pressed, after its release. Moves focus and selection to the
 * composer.
 */
export function replaceFirstPaint(root: HTMLElement): void {
  if (!firstPaint) return
  const replace = () => {
    // A button that is removed between the press and the release gets no click.
    if (firstPaint.matches(':active')) return void requestAnimationFrame(replace)
    const field = root.querySelector<HTMLTextAreaElement>('[data-composer] textarea')
    // React may have focused the composer already.
    const hasFocus = document.activeElement === firstPaintField || document.activeElement === field
    const { selectionStart = 0, selectionEnd = 0 } = firstPaintField ?? {}
    firstPaint.remove()
    // The message must not be sent again when the composer remounts.
    delete firstPaintField?.dataset.isSent
    if (!hasFocus || !field) return
    field.focus({ preventScroll: true })
    field.setSelectionRange(selectionStart, selectionEnd)
  }
  const observer = new MutationObserver(() => {
    if (!root.querySelector('main')) return
    observer.disconnect()
    replace()
  })
  observer.observe(root, { childList: true, subtree: true })
}

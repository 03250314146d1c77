/** The first paint is markup in the served page, which shows until React draws a page; see `worker/page/first-paint.ts`. */

// Unit tests have no document, or one without elements.
const firstPaint = globalThis.document?.getElementById?.('first-paint') ?? null

/** Takes text before the composer is drawn. */
export const firstPaintField = firstPaint?.querySelector('textarea') ?? null

/** True if the user sent the text of the first paint. The composer of this draft sends it when it is first drawn. */
export const isSentInFirstPaint = (draftKey: string): boolean =>
  firstPaintField?.dataset.draftKey === draftKey && firstPaintField.dataset.isSent !== undefined

/** Chosen: a window that is not drawn reports no paint, although the document counts as visible. */
const maxPaintWaitMs = 3000

/** Resolves when the first paint is visible; at once if there is none, or if the page is in the background. */
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
 * Removes the first paint in the frame that draws the first `main`, or after the end of a press. The composer gets focus and selection of its
 * field.
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

/** The first paint is markup in the served page, which shows until React draws a page; see `worker/page/first-paint.ts`. */

// Tests of other modules have no document.
const firstPaint = typeof document === 'undefined' ? null : document.getElementById('first-paint')

/** Takes text before the composer is drawn. */
export const firstPaintField = firstPaint?.querySelector('textarea') ?? null

/** True if the user sent the text of the first paint. The composer of this draft sends it when it is first drawn. */
export const isSentInFirstPaint = (draftKey: string): boolean =>
  firstPaintField?.dataset.draftKey === draftKey && firstPaintField.dataset.isSent !== undefined

export const hasFirstPaint = (): boolean => firstPaint?.isConnected === true

/** Removes the first paint in the frame in which the first `main` is drawn. The composer gets focus and selection of its field. */
export function replaceFirstPaint(root: HTMLElement): void {
  if (!firstPaint) return
  const observer = new MutationObserver(() => {
    if (!root.querySelector('main')) return
    observer.disconnect()
    const early = document.activeElement === firstPaintField ? firstPaintField : null
    firstPaint.remove()
    delete firstPaintField?.dataset.isSent
    const field = root.querySelector<HTMLTextAreaElement>('textarea[aria-label="Message"]')
    if (!early || !field) return
    field.focus({ preventScroll: true })
    field.setSelectionRange(early.selectionStart, early.selectionEnd)
  })
  observer.observe(root, { childList: true, subtree: true })
}

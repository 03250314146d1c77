/** The first paint is markup in the served page, which shows until React draws a page; see `worker/page/first-paint.ts`. */

// Tests of other modules have no document.
const firstPaint = typeof document === 'undefined' ? null : document.getElementById('first-paint')

/** Takes text before the composer is drawn. */
export const firstPaintField = firstPaint?.querySelector('textarea') ?? null

/** True if the user sent the text of the first paint. The composer of this draft sends it when it is first drawn. */
export const isSentInFirstPaint = (draftKey: string): boolean =>
  firstPaintField?.dataset.draftKey === draftKey && firstPaintField.dataset.isSent !== undefined

export const hasFirstPaint = (): boolean => firstPaint?.isConnected === true

const listeners: (() => void)[] = []

/** Calls back when the first paint is removed, or at once on pages without one. */
export function afterFirstPaint(listener: () => void): void {
  if (hasFirstPaint()) listeners.push(listener)
  else listener()
}

/** Removes the first paint in the frame in which the first `main` is drawn. The composer gets focus and selection of its field. */
export function replaceFirstPaint(root: HTMLElement): void {
  if (!firstPaint) return
  const observer = new MutationObserver(() => {
    if (!root.querySelector('main')) return
    observer.disconnect()
    const hasFocus = document.activeElement === firstPaintField
    const { selectionStart = 0, selectionEnd = 0 } = firstPaintField ?? {}
    firstPaint.remove()
    delete firstPaintField?.dataset.isSent
    for (const listener of listeners) listener()
    const field = root.querySelector<HTMLTextAreaElement>('textarea[aria-label="Message"]')
    if (!hasFocus || !field) return
    field.focus({ preventScroll: true })
    field.setSelectionRange(selectionStart, selectionEnd)
  })
  observer.observe(root, { childList: true, subtree: true })
}

/** How a user asks to close an overlay without a control of it. */
import { useEffect } from 'react'

/** For `hideOnEscape`: the page's own shortcuts ignore an Escape that has closed an overlay. */
export const acceptEscape = (event: { preventDefault: () => void }): boolean => {
  event.preventDefault()
  return true
}

/** The Back gesture of Android closes the overlay instead of leaving the page. Other browsers have no `CloseWatcher`. */
export function useCloseRequest(onClose: () => void): void {
  useEffect(() => {
    if (!('CloseWatcher' in window)) return undefined
    const watcher = new CloseWatcher()
    watcher.onclose = onClose
    return () => watcher.destroy()
  }, [onClose])
}

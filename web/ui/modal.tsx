/**
 * The base of dialogs. Mounted only while open, so its content starts fresh every time. Loads after the first paint. One button inside has
 * `data-dialog-dismiss`: for a dialog without it, Ariakit adds a hidden button with an English name.
 */
import { Dialog } from '@ariakit/react/dialog'
import { type ComponentProps, useEffect } from 'react'
import { cx } from '../lib/cx.ts'

type ModalProps = Pick<
  ComponentProps<typeof Dialog>,
  'aria-label' | 'aria-labelledby' | 'aria-describedby' | 'autoFocusOnShow' | 'children' | 'className' | 'onKeyDown' | 'role'
> & { readonly onClose: () => void; readonly hasBackdrop?: boolean }

/** The area above the on-screen keyboard; `fixed` alone covers the keyboard too. */
const visibleWindow = 'fixed inset-x-0 top-0 bottom-[calc(100dvh-var(--dialog-viewport-height,100dvh))]'

export function Modal({ onClose, hasBackdrop = true, className, ...rest }: ModalProps) {
  useCloseRequest(onClose)
  return (
    <Dialog
      {...rest}
      open
      onClose={onClose}
      aria-modal="true"
      backdrop={hasBackdrop && <div className="animate-appear bg-black/45" />}
      hideOnEscape={acceptEscape}
      // Toasts can be used above a dialog.
      getPersistentElements={() => document.querySelectorAll('[data-sonner-toaster]')}
      className={cx(visibleWindow, 'z-50 outline-none', className)}
    />
  )
}

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

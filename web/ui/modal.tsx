/**
 * What dialogs stand on: the platform's own <dialog>, which makes the rest inert, traps focus, closes on Escape and returns focus.
 * Mounted while open and gone when closed, so its content starts fresh every time.
 */
import { type ComponentProps, useLayoutEffect, useRef } from 'react'
import { cx } from '../lib/cx.ts'

type ModalProps = Omit<ComponentProps<'dialog'>, 'onCancel' | 'onPointerDown' | 'onClose' | 'ref'> & { readonly onClose: () => void }

export function Modal({ onClose, className, children, ...rest }: ModalProps) {
  const dialogRef = useRef<HTMLDialogElement>(null)

  // A layout effect, because its cleanup runs while the element is still in the page: only then does closing return focus.
  useLayoutEffect(() => {
    const dialog = dialogRef.current
    dialog?.showModal()
    // The platform focuses the first control, which may be the cross; a field to fill in comes before it.
    dialog?.querySelector<HTMLElement>('input, textarea')?.focus()
    return () => dialog?.close()
  }, [])

  return (
    <dialog
      {...rest}
      ref={dialogRef}
      className={cx('animate-rise bg-raised text-foreground shadow-float backdrop:animate-appear backdrop:bg-black/45', className)}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      // A press that begins and ends on the backdrop; the dialog's own box is filled by its children.
      onPointerDown={(event) => {
        if (event.target === event.currentTarget && isOutside(event.currentTarget, event)) onClose()
      }}
    >
      {children}
    </dialog>
  )
}

const isOutside = (element: Element, { clientX, clientY }: { clientX: number; clientY: number }): boolean => {
  const box = element.getBoundingClientRect()
  return clientX < box.left || clientX > box.right || clientY < box.top || clientY > box.bottom
}

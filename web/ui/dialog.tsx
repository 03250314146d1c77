/**
 * Modal dialogs on the platform's own <dialog>: it makes the rest inert, traps focus, closes on Escape and returns focus.
 * Mounted while open and gone when closed, so its content starts fresh every time.
 */
import { X } from 'lucide-react'
import { type ReactNode, useId, useLayoutEffect, useRef } from 'react'
import { cx } from '../lib/cx.ts'
import { Button } from './button.tsx'
import { IconButton } from './icon-button.tsx'

type DialogProps = {
  readonly open: boolean
  readonly onClose: () => void
  readonly title: string
  readonly description?: ReactNode
  readonly children?: ReactNode
  /** Buttons, in reading order; the last is the one that goes ahead. */
  readonly footer?: ReactNode
  readonly className?: string
  readonly role?: 'dialog' | 'alertdialog'
}

export function Dialog({ open, ...props }: DialogProps) {
  return open ? <OpenDialog {...props} /> : null
}

function OpenDialog({ onClose, title, description, children, footer, className, role = 'dialog' }: Omit<DialogProps, 'open'>) {
  const dialogRef = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  const descriptionId = useId()

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
      ref={dialogRef}
      role={role}
      aria-labelledby={titleId}
      aria-describedby={description ? descriptionId : undefined}
      className={cx(
        'max-h-[85dvh] w-[min(26rem,calc(100vw-2rem))] animate-rise overflow-y-auto rounded-xl bg-raised p-5 text-foreground shadow-float backdrop:animate-appear backdrop:bg-black/45',
        className,
      )}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      // A press that begins and ends on the backdrop; the dialog's own box is filled by its children.
      onPointerDown={(event) => {
        if (event.target === event.currentTarget && isOutside(event.currentTarget, event)) onClose()
      }}
    >
      <header className="flex items-start justify-between gap-4">
        <h2 id={titleId} className="text-base font-semibold text-balance">
          {title}
        </h2>
        {role === 'dialog' && (
          <IconButton label="Close" size="sm" className="-mt-0.5 -mr-1" onClick={onClose}>
            <X />
          </IconButton>
        )}
      </header>
      {description && (
        <div id={descriptionId} className="mt-1.5 text-muted-foreground text-pretty">
          {description}
        </div>
      )}
      {children}
      {footer && <footer className="mt-5 flex flex-wrap justify-end gap-2">{footer}</footer>}
    </dialog>
  )
}

const isOutside = (element: Element, { clientX, clientY }: { clientX: number; clientY: number }): boolean => {
  const box = element.getBoundingClientRect()
  return clientX < box.left || clientX > box.right || clientY < box.top || clientY > box.bottom
}

type ConfirmDialogProps = {
  readonly open: boolean
  readonly onClose: () => void
  readonly title: string
  readonly text: ReactNode
  /** The word on the button that goes ahead. */
  readonly action: string
  readonly onConfirm: () => void
  readonly pending?: boolean
  readonly variant?: 'primary' | 'danger'
}

/** A question with two answers. Focus starts on the harmless one. */
export function ConfirmDialog({ open, onClose, title, text, action, onConfirm, pending = false, variant = 'primary' }: ConfirmDialogProps) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={title}
      description={text}
      role="alertdialog"
      footer={
        <>
          <Button variant="secondary" onClick={onClose}>
            Cancel
          </Button>
          <Button variant={variant} pending={pending} onClick={onConfirm}>
            {action}
          </Button>
        </>
      }
    />
  )
}

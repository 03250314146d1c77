/** Dialogs with a title, and questions with two answers. */
import { X } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { cx } from '../lib/cx.ts'
import { Button } from './button.tsx'
import { IconButton } from './icon-button.tsx'
import { Modal } from './modal.tsx'
import { PartBoundary } from './part-boundary.tsx'

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
  if (!open) return null
  return (
    <PartBoundary part="dialog" onClose={props.onClose}>
      <OpenDialog {...props} />
    </PartBoundary>
  )
}

function OpenDialog({ onClose, title, description, children, footer, className, role = 'dialog' }: Omit<DialogProps, 'open'>) {
  const titleId = useId()
  const descriptionId = useId()

  return (
    <Modal
      role={role}
      aria-labelledby={titleId}
      aria-describedby={description ? descriptionId : undefined}
      onClose={onClose}
      className={cx('max-h-[85dvh] w-[min(26rem,calc(100vw-2rem))] overflow-y-auto rounded-xl p-5', className)}
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
    </Modal>
  )
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

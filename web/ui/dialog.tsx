/** Dialogs with a title, and questions with two answers. */
import type { ReactNode } from 'react'
import { lazyPart } from '../lib/lazy-part.ts'
import { libText } from '../lib/texts/en.ts'
import { Button } from './button.tsx'
import { SectionErrorBoundary } from './section-error-boundary.tsx'

const DialogPanel = lazyPart(() => import('./overlay-panels.tsx').then((module) => module.DialogPanel))

export type DialogProps = {
  readonly open: boolean
  readonly onClose: () => void
  readonly title: string
  readonly description?: ReactNode
  readonly children?: ReactNode
  /** Buttons, in reading order; the last one confirms. */
  readonly footer?: ReactNode
  readonly className?: string
  readonly role?: 'dialog' | 'alertdialog'
}

export function Dialog({ open, ...props }: DialogProps) {
  if (!open) return null
  return (
    <SectionErrorBoundary part="dialog" onClose={props.onClose}>
      <DialogPanel {...props} />
    </SectionErrorBoundary>
  )
}

/** Stays in view while the content of the dialog scrolls. Also for the end of a form that is the last content of a dialog. */
export const DialogFooter = ({ children }: { readonly children: ReactNode }) => (
  <footer className="sticky -bottom-(--end) -mx-5 mt-2 -mb-(--end) flex flex-wrap items-center justify-end gap-2 bg-raised p-5 pt-3 pb-(--end)">
    {children}
  </footer>
)

type ConfirmDialogProps = {
  readonly open: boolean
  readonly onClose: () => void
  readonly title: string
  readonly text: ReactNode
  /** Label of the confirm button. */
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
          <Button variant="secondary" data-dialog-dismiss onClick={onClose}>
            {libText('cancel')}
          </Button>
          <Button variant={variant} pending={pending} onClick={onConfirm}>
            {action}
          </Button>
        </>
      }
    />
  )
}

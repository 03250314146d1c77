/** The open dialog: title, description, content and buttons. Loads after the first paint. */
import { X } from 'lucide-react'
import { useId } from 'react'
import { cx } from '../lib/cx.ts'
import { libText } from '../lib/texts/en.ts'
import { DialogFooter, type DialogProps } from './dialog.tsx'
import { IconButton } from './icon-button.tsx'
import { Modal } from './modal.tsx'

/** A field gets the focus before the Close button, which is first in the document. */
function focusField(first: HTMLElement | null): boolean {
  const field = first?.closest('[data-dialog]')?.querySelector<HTMLElement>('input, textarea')
  field?.focus()
  return !field
}

export function DialogPanel({ onClose, title, description, children, footer, className, role = 'dialog' }: Omit<DialogProps, 'open'>) {
  const titleId = useId()
  const descriptionId = useId()
  return (
    <Modal
      role={role}
      aria-labelledby={titleId}
      aria-describedby={description ? descriptionId : undefined}
      autoFocusOnShow={focusField}
      onClose={onClose}
      className={cx(
        'm-auto h-fit max-h-[calc(var(--dialog-viewport-height)-1rem)] w-[min(26rem,calc(100vw-2rem))] animate-rise overflow-y-auto rounded-xl bg-raised p-5 has-[footer]:scroll-pb-20 text-foreground shadow-float sm:max-h-[min(85dvh,calc(var(--dialog-viewport-height)-1rem))]',
        className,
      )}
    >
      <header className="flex items-start justify-between gap-4">
        <h2 id={titleId} className="text-base font-semibold text-balance">
          {title}
        </h2>
        {role === 'dialog' && (
          <IconButton label={libText('close')} data-dialog-dismiss size="sm" className="-mt-0.5 -mr-1" onClick={onClose}>
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
      {footer && <DialogFooter>{footer}</DialogFooter>}
    </Modal>
  )
}

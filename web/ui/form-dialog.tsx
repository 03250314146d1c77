/** A dialog with one form. Stays open until what it sends has succeeded, so that refused input is not lost. */
import { type FormEvent, type ReactNode, useState } from 'react'
import { libText } from '../lib/texts/en.ts'
import { Button } from './button.tsx'
import { Dialog, DialogFooter } from './dialog.tsx'

type FormDialogProps = {
  readonly title: string
  /** Label of the button that submits. */
  readonly submit: string
  /** Why the form cannot be submitted now. */
  readonly disabledReason?: string | undefined
  /** Resolves with true if the dialog may close. */
  readonly onSubmit: () => Promise<boolean>
  /** Shown while `onSubmit` runs. */
  readonly pendingText?: string | undefined
  readonly onClose: () => void
  readonly children: ReactNode
}

export function FormDialog({ title, submit, disabledReason, onSubmit, pendingText, onClose, children }: FormDialogProps) {
  const [isPending, setPending] = useState(false)
  const send = async (event: FormEvent) => {
    event.preventDefault()
    // The dialog can be inside another form, as in the composer.
    event.stopPropagation()
    if (disabledReason || isPending) return
    setPending(true)
    const isDone = await onSubmit()
    setPending(false)
    if (isDone) onClose()
  }
  return (
    <Dialog open title={title} onClose={onClose}>
      <form onSubmit={(event) => void send(event)} className="mt-4 flex flex-col gap-4">
        {children}
        <DialogFooter>
          {isPending && pendingText !== undefined && (
            <span role="status" className="mr-auto text-muted-foreground">
              {pendingText}
            </span>
          )}
          <Button onClick={onClose}>{libText('cancel')}</Button>
          <Button type="submit" variant="primary" pending={isPending} disabledReason={disabledReason}>
            {submit}
          </Button>
        </DialogFooter>
      </form>
    </Dialog>
  )
}

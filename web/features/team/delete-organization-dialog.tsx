import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/text-field.tsx'

type DeleteDialogProps = {
  readonly name: string
  readonly isPending: boolean
  readonly onConfirm: () => void
  readonly onClose: () => void
}

/** Deleting for all members requires typing the name. */
export function DeleteDialog({ name, isPending, onConfirm, onClose }: DeleteDialogProps) {
  const [typed, setTyped] = useState('')
  const reason = typed.trim() === name.trim() ? undefined : 'Type the name of the organization first.'
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!reason && !isPending) onConfirm()
  }
  return (
    <Dialog open title="Delete organization" onClose={onClose} description="Nobody will be able to see it any more. This cannot be undone.">
      <form onSubmit={submit} className="mt-4">
        <TextField label={`Type “${name}” to go on`} value={typed} onValueChange={setTyped} autoComplete="off" />
        <div className="mt-5 flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="danger" pending={isPending} disabledReason={reason}>
            Delete
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

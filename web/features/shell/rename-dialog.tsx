import { type FormEvent, useState } from 'react'
import { maxTitleChars } from '../../../worker/contract/limits.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { useThreadActions } from './use-thread-actions.ts'

type RenameDialogProps = {
  readonly thread: { readonly id: string; readonly title: string }
  readonly onClose: () => void
}

/** Mounted while open. */
export function RenameDialog({ thread: { id, title }, onClose }: RenameDialogProps) {
  const { rename } = useThreadActions()
  const [value, setValue] = useState(title)
  const trimmed = value.trim()
  const reason = trimmed === '' ? 'A thread needs a title.' : trimmed.length > maxTitleChars ? 'This title is too long.' : undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (reason) return
    if (trimmed !== title) rename(id, trimmed, title)
    onClose()
  }
  return (
    <Dialog open title="Rename thread" onClose={onClose}>
      <form onSubmit={submit} className="mt-4">
        <TextField
          label="Title"
          value={value}
          onValueChange={setValue}
          maxChars={maxTitleChars}
          onFocus={(event) => event.currentTarget.select()}
        />
        <div className="mt-5 flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" disabledReason={reason}>
            Rename
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

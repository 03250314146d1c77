import { type FormEvent, useState } from 'react'
import { libText } from '../../lib/texts/en.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { t } from './texts/en.ts'

type DeleteDialogProps = {
  readonly name: string
  readonly isPending: boolean
  readonly onConfirm: () => void
  readonly onClose: () => void
}

/** Deleting for all members requires typing the name. */
export function DeleteDialog({ name, isPending, onConfirm, onClose }: DeleteDialogProps) {
  const [typed, setTyped] = useState('')
  const reason = typed.trim() === name.trim() ? undefined : t('typeName')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!reason && !isPending) onConfirm()
  }
  return (
    <Dialog open title={t('deleteOrganization')} onClose={onClose} description={t('deleteHint')}>
      <form onSubmit={submit} className="mt-4">
        <TextField label={t('typeToConfirm', { name })} value={typed} onValueChange={setTyped} autoComplete="off" />
        <div className="mt-5 flex justify-end gap-2">
          <Button onClick={onClose}>{libText('cancel')}</Button>
          <Button type="submit" variant="danger" pending={isPending} disabledReason={reason}>
            {t('delete')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

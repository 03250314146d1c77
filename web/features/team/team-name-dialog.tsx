import { type FormEvent, useState } from 'react'
import { maxTeamNameChars } from '../../../worker/contract/limits.ts'
import { libText } from '../../lib/texts/en.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { t } from './texts/en.ts'

type TeamNameDialogProps = {
  readonly title: string
  readonly action: string
  readonly name: string
  /** Resolves with true after success; otherwise the dialog stays open with its input. */
  readonly onSave: (name: string) => Promise<boolean>
  readonly onClose: () => void
}

/** Mounted while open. */
export function TeamNameDialog({ title, action, name, onSave, onClose }: TeamNameDialogProps) {
  const [value, setValue] = useState(name)
  const [isPending, setPending] = useState(false)
  const trimmed = value.trim()
  const reason = trimmed === '' ? t('enterName') : trimmed.length > maxTeamNameChars ? t('shortenName') : undefined
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (reason || isPending) return
    setPending(true)
    if (trimmed === name || (await onSave(trimmed))) return onClose()
    setPending(false)
  }
  return (
    <Dialog open title={title} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)} className="mt-4">
        <TextField label={t('name')} value={value} onValueChange={setValue} maxChars={maxTeamNameChars} autoComplete="off" />
        <div className="mt-5 flex justify-end gap-2">
          <Button onClick={onClose}>{libText('cancel')}</Button>
          <Button type="submit" variant="primary" pending={isPending} disabledReason={reason}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

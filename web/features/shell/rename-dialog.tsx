import { type FormEvent, useState } from 'react'
import { maxTitleChars } from '../../../worker/contract/limits.ts'
import { libText } from '../../lib/texts/en.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { t } from './texts/en.ts'
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
  const reason = trimmed === '' ? t('enterTitle') : trimmed.length > maxTitleChars ? t('shortenTitle') : undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (reason) return
    if (trimmed !== title) rename(id, trimmed, title)
    onClose()
  }
  return (
    <Dialog open title={t('renameThread')} onClose={onClose}>
      <form onSubmit={submit} className="mt-4">
        <TextField
          label={t('title')}
          value={value}
          onValueChange={setValue}
          maxChars={maxTitleChars}
          onFocus={(event) => event.currentTarget.select()}
        />
        <div className="mt-5 flex justify-end gap-2">
          <Button onClick={onClose}>{libText('cancel')}</Button>
          <Button type="submit" variant="primary" disabledReason={reason}>
            {libText('rename')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

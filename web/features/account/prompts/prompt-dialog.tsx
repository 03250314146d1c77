/** Creates a prompt or edits one. Stays open until the server has stored it, so that a refused text is not lost. */
import { type FormEvent, useState } from 'react'
import { maxPromptChars, maxPromptNameChars } from '../../../../worker/contract/limits.ts'
import { mutators } from '../../../../worker/contract/mutators.ts'
import { isBlank } from '../../../../worker/contract/text.ts'
import { createId } from '../../../lib/create-id.ts'
import { refusalSentence } from '../../../lib/refusals/sentence.ts'
import { libText } from '../../../lib/texts/en.ts'
import { settled, useAct } from '../../../sync/act.ts'
import { useConnection } from '../../../sync/hooks.ts'
import type { PromptRow } from '../../../sync/rows.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog, DialogFooter } from '../../../ui/dialog.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { toastRefusal } from '../../../ui/toast-refusal.ts'
import { t } from './texts/en.ts'

type PromptDialogProps = {
  readonly prompt: PromptRow | null
  /** The text that a new prompt starts with. */
  readonly text?: string
  readonly onClose: () => void
}

export function PromptDialog({ prompt, text: given = '', onClose }: PromptDialogProps) {
  const act = useAct()
  const isOffline = useConnection().status === 'offline'
  const [id] = useState(() => prompt?.id ?? createId())
  const [name, setName] = useState(prompt?.name ?? '')
  const [text, setText] = useState(prompt?.text ?? given)
  const [isSaving, setSaving] = useState(false)
  const reason =
    name.trim() === '' || name.trim().length > maxPromptNameChars
      ? refusalSentence({ code: 'prompt_name' })
      : isBlank(text) || text.length > maxPromptChars
        ? refusalSentence({ code: 'prompt_text' })
        : undefined

  const save = async (event: FormEvent) => {
    event.preventDefault()
    if (reason || isSaving) return
    setSaving(true)
    const isSaved = await toastRefusal(settled(act(mutators.prompts.save({ id, name: name.trim(), text }))))
    setSaving(false)
    if (isSaved) onClose()
  }
  return (
    <Dialog open title={prompt ? t('editPrompt') : t('newPrompt')} onClose={onClose}>
      <form onSubmit={(event) => void save(event)} className="mt-4 flex flex-col gap-4">
        <TextField label={t('name')} value={name} onValueChange={setName} maxChars={maxPromptNameChars} />
        <TextField
          label={t('text')}
          description={t('textDescription', { example: '{{topic}}' })}
          rows={6}
          value={text}
          onValueChange={setText}
          maxChars={maxPromptChars}
        />
        <DialogFooter>
          {isSaving && isOffline && (
            <span role="status" className="mr-auto text-muted-foreground">
              {t('waiting')}
            </span>
          )}
          <Button onClick={onClose}>{libText('cancel')}</Button>
          <Button type="submit" variant="primary" pending={isSaving} disabledReason={reason}>
            {prompt ? t('save') : t('create')}
          </Button>
        </DialogFooter>
      </form>
    </Dialog>
  )
}

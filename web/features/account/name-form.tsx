import { type FormEvent, useState } from 'react'
import { maxNameChars } from '../../../worker/contract/limits.ts'
import { authCall } from '../../lib/auth-call.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { toast } from '../../ui/toaster.tsx'
import { t } from './texts/t.ts'

/** The name shown to other users. Null while unedited: the field then shows the synced name. */
export function NameForm({ saved }: { readonly saved: string }) {
  const [draft, setDraft] = useState<string | null>(null)
  const [problem, setProblem] = useState<string>()
  const [isSaving, setSaving] = useState(false)
  const value = draft ?? saved
  const name = value.trim()
  const reason =
    name === saved ? t('nothingToSave') : name === '' ? t('enterName') : name.length > maxNameChars ? t('shortenName') : undefined
  const save = async (event: FormEvent) => {
    event.preventDefault()
    if (reason || isSaving) return
    setSaving(true)
    const answer = await authCall('update-user', { name })
    setSaving(false)
    if (!answer.ok) return setProblem(answer.message)
    setDraft(null)
    toast('success', t('nameUpdated'))
  }
  return (
    <form onSubmit={(event) => void save(event)} className="flex flex-col gap-3">
      <TextField
        label={t('name')}
        hint={t('nameHint')}
        autoComplete="name"
        maxChars={maxNameChars}
        error={problem}
        value={value}
        onValueChange={(next) => {
          setDraft(next)
          setProblem(undefined)
        }}
      />
      <Button type="submit" variant="primary" className="self-end" pending={isSaving} disabledReason={reason} aria-label={t('saveName')}>
        {t('save')}
      </Button>
    </form>
  )
}

import { type FormEvent, useState } from 'react'
import { maxNameChars } from '../../../worker/contract/limits.ts'
import { authCall } from '../../lib/auth-call.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { toast } from '../../ui/toaster.tsx'

/** The name shown to other users. Null while unedited: the field then shows the synced name. */
export function NameForm({ saved }: { readonly saved: string }) {
  const [draft, setDraft] = useState<string | null>(null)
  const [problem, setProblem] = useState<string>()
  const [isSaving, setSaving] = useState(false)
  const value = draft ?? saved
  const name = value.trim()
  const reason =
    name === saved
      ? 'Nothing to save.'
      : name === ''
        ? 'A name has at least one character.'
        : name.length > maxNameChars
          ? 'Shorten the name first.'
          : undefined
  const save = async (event: FormEvent) => {
    event.preventDefault()
    if (reason || isSaving) return
    setSaving(true)
    const answer = await authCall('update-user', { name })
    setSaving(false)
    if (!answer.ok) return setProblem(answer.message)
    setDraft(null)
    toast('success', 'Name updated')
  }
  return (
    <form onSubmit={(event) => void save(event)} className="flex flex-col gap-3">
      <TextField
        label="Name"
        hint="How Parley greets you, and what others in your organizations see."
        autoComplete="name"
        maxChars={maxNameChars}
        error={problem}
        value={value}
        onValueChange={(next) => {
          setDraft(next)
          setProblem(undefined)
        }}
      />
      <Button type="submit" variant="primary" className="self-end" pending={isSaving} disabledReason={reason} aria-label="Save name">
        Save
      </Button>
    </form>
  )
}

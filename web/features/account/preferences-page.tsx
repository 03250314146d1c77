/** Custom instructions for models, each field saved separately, and the action of the Enter key. */
import { type FormEvent, useState } from 'react'
import { maxBiographyChars, maxInstructionsChars, maxNicknameChars } from '../../../worker/contract/limits.ts'
import { enterSends, setEnterSends } from '../../lib/shortcuts.ts'
import { useStore } from '../../lib/store.ts'
import { useActions } from '../../sync/actions.ts'
import { useMe } from '../../sync/hooks.ts'
import { Button } from '../../ui/button.tsx'
import { Delayed, Skeleton } from '../../ui/skeleton.tsx'
import { Switch } from '../../ui/switch.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { saveSetting } from './save-setting.ts'

type FieldName = 'nickname' | 'biography' | 'instructions'

type Field = { readonly name: FieldName; readonly label: string; readonly hint: string; readonly maxChars: number; readonly rows?: number }

const fields: readonly Field[] = [
  { name: 'nickname', label: 'Nickname', hint: 'How models should call you.', maxChars: maxNicknameChars },
  { name: 'biography', label: 'Biography', hint: 'What models should know about you.', maxChars: maxBiographyChars, rows: 4 },
  {
    name: 'instructions',
    label: 'Instructions',
    hint: 'How models should answer: length, tone, language.',
    maxChars: maxInstructionsChars,
    rows: 6,
  },
]

export function PreferencesPage() {
  const setting = useMe()?.setting
  if (!setting) {
    return (
      <Delayed>
        <Skeleton className="h-64" />
      </Delayed>
    )
  }
  return (
    <div className="flex flex-col gap-8">
      {fields.map((field) => (
        <PreferenceField key={field.name} field={field} saved={setting[field.name] ?? ''} />
      ))}
      <EnterKey />
    </div>
  )
}

function EnterKey() {
  const sends = useStore(enterSends)
  return (
    <div className="flex items-center justify-between gap-4 rounded-lg border px-4 py-3">
      <div className="min-w-0">
        <div className="font-medium">Enter sends</div>
        <p className="mt-0.5 text-muted-foreground text-pretty">
          {sends ? 'Shift+Enter begins a new line.' : 'Enter begins a new line, Shift+Enter sends.'} Only on this device.
        </p>
      </div>
      <Switch label="Enter sends" checked={sends} onChange={setEnterSends} />
    </div>
  )
}

function PreferenceField({ field: { name, label, hint, maxChars, rows }, saved }: { readonly field: Field; readonly saved: string }) {
  const actions = useActions()
  /** Null while unedited: the field then shows the synced value. */
  const [draft, setDraft] = useState<string | null>(null)
  const [isSaving, setSaving] = useState(false)
  const value = draft ?? saved
  const reason = value.trim() === saved ? 'Nothing to save.' : value.length > maxChars ? 'Shorten the text first.' : undefined

  const save = async (event: FormEvent) => {
    event.preventDefault()
    if (reason || isSaving) return
    setSaving(true)
    if (await saveSetting(actions, { [name]: value.trim() }, `${label} saved`)) setDraft(null)
    setSaving(false)
  }
  const shared = { label, hint, maxChars, value, onValueChange: setDraft }
  return (
    <form onSubmit={(event) => void save(event)} className="flex flex-col gap-3">
      {rows === undefined ? <TextField {...shared} autoComplete="nickname" /> : <TextField {...shared} rows={rows} />}
      <Button
        type="submit"
        variant="primary"
        className="self-end"
        pending={isSaving}
        disabledReason={reason}
        aria-label={`Save ${label.toLowerCase()}`}
      >
        Save
      </Button>
    </form>
  )
}

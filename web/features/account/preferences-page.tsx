/** Custom instructions for models, each field saved separately, the action of the Enter key, and notifications. */
import { type FormEvent, useReducer, useState } from 'react'
import { maxBiographyChars, maxInstructionsChars, maxNicknameChars } from '../../../worker/contract/limits.ts'
import { noticePermission, noticesWanted, setNoticesWanted, turnOnNotices } from '../../lib/notice-setting.ts'
import { enterSends, setEnterSends } from '../../lib/shortcuts.ts'
import { useStore } from '../../lib/store.ts'
import { useActions } from '../../sync/actions.ts'
import { useMe } from '../../sync/hooks.ts'
import { Button } from '../../ui/button.tsx'
import { Delayed, Skeleton } from '../../ui/skeleton.tsx'
import { Switch } from '../../ui/switch.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { saveSetting } from './save-setting.ts'
import { t } from './texts/t.ts'

type FieldName = 'nickname' | 'biography' | 'instructions'

type Field = { readonly name: FieldName; readonly maxChars: number; readonly rows?: number }

const fields: readonly Field[] = [
  { name: 'nickname', maxChars: maxNicknameChars },
  { name: 'biography', maxChars: maxBiographyChars, rows: 4 },
  { name: 'instructions', maxChars: maxInstructionsChars, rows: 6 },
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
      <DesktopNotices />
    </div>
  )
}

function EnterKey() {
  const sends = useStore(enterSends)
  return (
    <div className="flex items-center justify-between gap-4 rounded-lg border px-4 py-3">
      <div className="min-w-0">
        <div className="font-medium">{t('enterSends')}</div>
        <p className="mt-0.5 text-muted-foreground text-pretty">{t(sends ? 'enterSendsHint' : 'enterNewLineHint')}</p>
      </div>
      <Switch label={t('enterSends')} checked={sends} onChange={setEnterSends} />
    </div>
  )
}

/** Per browser. The browser asks the user when the switch is turned on. */
function DesktopNotices() {
  const isWanted = useStore(noticesWanted) === true
  // The permission is not reactive state.
  const [, rerender] = useReducer((count: number) => count + 1, 0)
  const permission = noticePermission()
  const reason = permission === undefined ? t('noticesUnsupported') : permission === 'denied' ? t('noticesBlocked') : undefined
  return (
    <div className="flex items-center justify-between gap-4 rounded-lg border px-4 py-3">
      <div className="min-w-0">
        <div className="font-medium">{t('notices')}</div>
        <p className="mt-0.5 text-muted-foreground text-pretty">{reason ?? t('noticesHint')}</p>
      </div>
      <Switch
        label={t('notices')}
        checked={isWanted && permission === 'granted'}
        onChange={(wanted) => (wanted ? void turnOnNotices().then(rerender) : setNoticesWanted(false))}
        disabledReason={reason}
      />
    </div>
  )
}

function PreferenceField({ field: { name, maxChars, rows }, saved }: { readonly field: Field; readonly saved: string }) {
  const actions = useActions()
  const label = t(name)
  /** Null while unedited: the field then shows the synced value. */
  const [draft, setDraft] = useState<string | null>(null)
  const [isSaving, setSaving] = useState(false)
  const value = draft ?? saved
  const reason = value.trim() === saved ? t('nothingToSave') : value.length > maxChars ? t('shortenText') : undefined

  const save = async (event: FormEvent) => {
    event.preventDefault()
    if (reason || isSaving) return
    setSaving(true)
    if (await saveSetting(actions, { [name]: value.trim() }, t('fieldSaved', { field: label }))) setDraft(null)
    setSaving(false)
  }
  const shared = { label, hint: t(`${name}Hint`), maxChars, value, onValueChange: setDraft }
  return (
    <form onSubmit={(event) => void save(event)} className="flex flex-col gap-3">
      {rows === undefined ? <TextField {...shared} autoComplete="nickname" /> : <TextField {...shared} rows={rows} />}
      <Button
        type="submit"
        variant="primary"
        className="self-end"
        pending={isSaving}
        disabledReason={reason}
        aria-label={t('saveField', { field: label })}
      >
        {t('save')}
      </Button>
    </form>
  )
}

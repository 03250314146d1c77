/** Custom instructions for models, the action of the Enter key, and notifications. */
import { type ComponentProps, useState } from 'react'
import { maxBiographyChars, maxInstructionsChars, maxNicknameChars } from '../../../worker/contract/limits.ts'
import {
  notificationPermission,
  notificationsEnabled,
  setNotificationsEnabled,
  turnOnNotifications,
} from '../../lib/notification-setting.ts'
import { enterSends, setEnterSends } from '../../lib/shortcuts.ts'
import { useStore } from '../../lib/store.ts'
import { useMe } from '../../sync/hooks.ts'
import { AutosavedField } from '../../ui/autosaved-field.tsx'
import { LoadingBlock } from '../../ui/skeleton.tsx'
import { Switch } from '../../ui/switch.tsx'
import { useSaveSetting } from './settings-frame.tsx'
import { t } from './texts/en.ts'

const fields = [
  { name: 'nickname', maxChars: maxNicknameChars, rows: undefined, autoComplete: 'nickname' },
  { name: 'biography', maxChars: maxBiographyChars, rows: 4, autoComplete: 'off' },
  { name: 'instructions', maxChars: maxInstructionsChars, rows: 6, autoComplete: 'off' },
] as const

export function PreferencesPage() {
  const setting = useMe()?.setting
  const save = useSaveSetting()
  if (!setting) return <LoadingBlock className="h-64" />
  return (
    <div className="flex flex-col gap-8">
      {fields.map(({ name, ...field }) => (
        <AutosavedField
          key={name}
          {...field}
          label={t(name)}
          description={t(`${name}Description`)}
          saved={setting[name] ?? ''}
          save={(value) => save({ [name]: value })}
        />
      ))}
      <EnterKey />
      <DesktopNotifications />
    </div>
  )
}

function EnterKey() {
  const sends = useStore(enterSends)
  return (
    <SwitchRow
      label={t('enterSends')}
      description={t(sends ? 'enterSendsDescription' : 'enterNewLineDescription')}
      checked={sends}
      onChange={setEnterSends}
    />
  )
}

/** Per browser. The browser asks the user when the switch is turned on. */
function DesktopNotifications() {
  const isEnabled = useStore(notificationsEnabled) === true
  const [permission, setPermission] = useState(notificationPermission)
  const turnOn = async () => {
    await turnOnNotifications()
    setPermission(notificationPermission())
  }
  const reason = permission === undefined ? t('notificationsUnsupported') : permission === 'denied' ? t('notificationsBlocked') : undefined
  return (
    <SwitchRow
      label={t('notifications')}
      description={reason ?? t('notificationsDescription')}
      checked={isEnabled && permission === 'granted'}
      onChange={(enabled) => (enabled ? void turnOn() : setNotificationsEnabled(false))}
      disabledReason={reason}
    />
  )
}

const SwitchRow = ({ description, ...props }: ComponentProps<typeof Switch> & { readonly description: string }) => (
  <div className="flex items-center justify-between gap-4 rounded-lg border px-4 py-3">
    <div className="min-w-0">
      <div className="font-medium">{props.label}</div>
      <p className="mt-0.5 text-muted-foreground text-pretty">{description}</p>
    </div>
    <Switch {...props} />
  </div>
)

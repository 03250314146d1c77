/** The content of the user menu. Loads after the first paint. */
import { MenuItem as RadioItem } from '@ariakit/react/menu'
import { Link, useNavigate } from '@tanstack/react-router'
import { Keyboard, LogIn, LogOut, Settings2, Sparkles, UsersRound } from 'lucide-react'
import { useState } from 'react'
import { defaultMode } from '../../../worker/contract/themes.ts'
import { cx } from '../../lib/cx.ts'
import { deleteLocalUserData } from '../../lib/local-user-data.ts'
import { useLoginSearch } from '../../lib/navigation.ts'
import { openOverlay, openUpsell } from '../../lib/overlays.ts'
import { canLogIn, pageSettings } from '../../lib/page-settings.ts'
import { pageShortcuts } from '../../lib/shortcuts.ts'
import { libText } from '../../lib/texts/en.ts'
import { hasKeyboard } from '../../lib/viewport.ts'
import { signOutHere } from '../../sync/provider.tsx'
import type { Me } from '../../sync/rows.ts'
import { useSaveSettings } from '../../sync/save-settings.ts'
import { buttonClass } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { chordOf } from '../../ui/kbd.tsx'
import { MenuItem, MenuSeparator } from '../../ui/menu.tsx'
import { toastRefusal } from '../../ui/toast-refusal.ts'
import { toast } from '../../ui/toaster.tsx'
import { type Mode, modeChoices } from './appearances.ts'
import { t } from './texts/en.ts'

type UserMenuItemsProps = { readonly me: Me; readonly onNavigate: () => void; readonly onLogOut: () => void }

export function UserMenuItems({ me, onNavigate, onLogOut }: UserMenuItemsProps) {
  const saveSettings = useSaveSettings()
  const loginSearch = useLoginSearch()
  return (
    <>
      {me.plan === 'free' && pageSettings.billing && (
        <MenuItem icon={<Sparkles className="text-accent" />} onSelect={openUpsell}>
          {libText('upgradeToPro')}
        </MenuItem>
      )}
      {canLogIn && me.plan === 'guest' && (
        <MenuItem icon={<LogIn className="text-accent" />} onSelect={onNavigate} render={<Link to="/login" search={loginSearch} />}>
          {t('logIn')}
        </MenuItem>
      )}
      <MenuItem icon={<Settings2 />} onSelect={onNavigate} render={<Link to="/account" />}>
        {t('settings')}
      </MenuItem>
      {me.plan !== 'guest' && (
        <MenuItem icon={<UsersRound />} onSelect={onNavigate} render={<Link to="/team" />}>
          {t('organizations')}
        </MenuItem>
      )}
      <MenuSeparator />
      <ModeSwitch mode={me.setting?.mode ?? defaultMode} onChange={(mode) => void toastRefusal(saveSettings({ mode }))} />
      <MenuSeparator />
      {hasKeyboard() && (
        <MenuItem icon={<Keyboard />} keys={chordOf(pageShortcuts.help)} onSelect={() => openOverlay('shortcuts')}>
          {libText(pageShortcuts.help.descriptionKey)}
        </MenuItem>
      )}
      <MenuItem icon={<LogOut />} onSelect={onLogOut}>
        {t('logOut')}
      </MenuItem>
    </>
  )
}

type ModeSwitchProps = { readonly mode: Mode; readonly onChange: (mode: Mode) => void }

/** Dark, light or system mode: three items in the user menu that keep the menu open. */
function ModeSwitch({ mode, onChange }: ModeSwitchProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset has no place inside a menu
    <div role="group" aria-label={t('appearance')} className="flex gap-0.5 p-0.5">
      {modeChoices.map(({ mode: choice, Icon }) => (
        <RadioItem
          key={choice}
          role="menuitemradio"
          aria-checked={choice === mode}
          hideOnClick={false}
          className={cx(
            'active-item flex h-9 flex-1 items-center justify-center gap-1.5 rounded-md text-xs outline-none transition-colors touch:h-11 max-sm:h-12 forced-colors:aria-checked:border',
            choice === mode ? 'bg-foreground/9 text-foreground' : 'text-muted-foreground hover:text-foreground',
          )}
          onClick={() => onChange(choice)}
        >
          <Icon aria-hidden="true" className="size-3.5" />
          {t(choice)}
        </RadioItem>
      ))}
    </div>
  )
}

type LogoutDialogProps = { readonly isGuest: boolean; readonly onClose: () => void }

/** Mounted while open. */
export function LogoutDialog({ isGuest, onClose }: LogoutDialogProps) {
  const navigate = useNavigate()
  const loginSearch = useLoginSearch()
  const [isPending, setPending] = useState(false)
  const confirm = async () => {
    setPending(true)
    try {
      await signOutHere()
      deleteLocalUserData()
      await navigate({ to: '/logged-out', replace: true })
    } catch {
      toast('error', t('logoutFailed'), { description: t('checkConnection') })
      setPending(false)
      onClose()
    }
  }
  return (
    <ConfirmDialog
      open
      title={t('logout')}
      text={
        <>
          <p>{t('logoutQuestion')}</p>
          {isGuest && (
            <>
              <p className="mt-2">{t('logoutGuest')}</p>
              {canLogIn && (
                <Link to="/login" search={loginSearch} className={buttonClass({ variant: 'primary', className: 'mt-4 w-full' })}>
                  {t('logInToKeep')}
                </Link>
              )}
            </>
          )}
        </>
      }
      action={t('logout')}
      variant={isGuest ? 'danger' : 'primary'}
      pending={isPending}
      onConfirm={() => void confirm()}
      onClose={onClose}
    />
  )
}

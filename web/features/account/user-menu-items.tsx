/** The content of the user menu. Loads after the first paint. */
import { Link } from '@tanstack/react-router'
import { Keyboard, LogIn, LogOut, Settings2, UsersRound } from 'lucide-react'
import { defaultMode } from '../../../worker/contract/themes.ts'
import { useLoginSearch } from '../../lib/navigation.ts'
import { openOverlay } from '../../lib/overlays.ts'
import { pageShortcuts } from '../../lib/shortcut-table.ts'
import { libText } from '../../lib/texts/en.ts'
import { saveSettings, useAct } from '../../sync/act.ts'
import type { Me } from '../../sync/rows.ts'
import { chordOf } from '../../ui/kbd.tsx'
import { MenuItem, MenuSeparator } from '../../ui/menu.tsx'
import { toastRefusal } from '../../ui/toast-refusal.ts'
import { ModeSwitch } from './mode-switch.tsx'
import { t } from './texts/en.ts'

type UserMenuItemsProps = { readonly me: Me; readonly onNavigate: () => void; readonly onLogOut: () => void }

export function UserMenuItems({ me, onNavigate, onLogOut }: UserMenuItemsProps) {
  const act = useAct()
  const loginSearch = useLoginSearch()
  return (
    <>
      <ModeSwitch mode={me.setting?.mode ?? defaultMode} onChange={(mode) => void toastRefusal(saveSettings(act, { mode }))} />
      <MenuSeparator />
      <MenuItem icon={<Settings2 />} onSelect={onNavigate} render={<Link to="/account" />}>
        {t('settings')}
      </MenuItem>
      {me.plan !== 'guest' && (
        <MenuItem icon={<UsersRound />} onSelect={onNavigate} render={<Link to="/team" />}>
          {t('organizations')}
        </MenuItem>
      )}
      {me.plan === 'guest' && (
        <MenuItem icon={<LogIn />} onSelect={onNavigate} render={<Link to="/login" search={loginSearch} />}>
          {t('logIn')}
        </MenuItem>
      )}
      <MenuItem icon={<Keyboard />} keys={chordOf(pageShortcuts.help)} onSelect={() => openOverlay('shortcuts')}>
        {libText(pageShortcuts.help.descriptionKey)}
      </MenuItem>
      <MenuItem icon={<LogOut />} onSelect={onLogOut}>
        {t('logOut')}
      </MenuItem>
    </>
  )
}

/** The content of the user menu. Loads after the first paint. */
import { Link } from '@tanstack/react-router'
import { Keyboard, LogIn, LogOut, Settings2, UsersRound } from 'lucide-react'
import { useLoginSearch } from '../../lib/navigation.ts'
import { openOverlay } from '../../lib/overlays.ts'
import { pageShortcuts } from '../../lib/shortcut-table.ts'
import { libText } from '../../lib/texts/t.ts'
import { useActions } from '../../sync/actions.ts'
import type { Me } from '../../sync/rows.ts'
import { chordOf } from '../../ui/kbd.tsx'
import { MenuItem, MenuSeparator } from '../../ui/menu.tsx'
import { Meter } from '../../ui/meter.tsx'
import { ModeSwitch } from './mode-switch.tsx'
import { saveSetting } from './save-setting.ts'
import { t } from './texts/t.ts'

type UserMenuItemsProps = { readonly me: Me; readonly onNavigate: () => void; readonly onLogOut: () => void }

export function UserMenuItems({ me, onNavigate, onLogOut }: UserMenuItemsProps) {
  const actions = useActions()
  const loginSearch = useLoginSearch()
  return (
    <>
      <Credits me={me} />
      <MenuSeparator />
      <ModeSwitch mode={me.setting?.mode ?? 'dark'} onChange={(mode) => void saveSetting(actions, { mode })} />
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

function Credits({ me: { credits } }: { readonly me: Me }) {
  const counts = { left: credits.left, limit: credits.limit }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset has no place inside a menu
    <div role="group" aria-label={t('creditsOfToday', counts)} className="px-2 pt-1.5 pb-1">
      <div aria-hidden="true" className="flex justify-between text-xs text-muted-foreground">
        <span>{t('creditsToday')}</span>
        <span>{t('ofLeft', counts)}</span>
      </div>
      <div aria-hidden="true">
        <Meter
          label={t('creditsLeftToday')}
          value={credits.left}
          max={credits.limit}
          tone={credits.warn ? 'warning' : 'accent'}
          className="mt-2"
        />
      </div>
    </div>
  )
}

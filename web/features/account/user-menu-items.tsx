/** The content of the user menu. Loads after the first paint. */
import { Link } from '@tanstack/react-router'
import { Keyboard, LogIn, LogOut, Settings2, UsersRound } from 'lucide-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { useLoginSearch } from '../../lib/login-search.ts'
import { pageShortcuts } from '../../lib/shortcut-table.ts'
import { openOverlay } from '../../stores/overlay.ts'
import { closeSheet } from '../../stores/sidebar.ts'
import { useActions } from '../../sync/actions.ts'
import type { Me } from '../../sync/rows.ts'
import { chordOf } from '../../ui/kbd.tsx'
import { itemClass, MenuItem, MenuSeparator, useCloseMenu } from '../../ui/menu.tsx'
import { Meter } from '../../ui/meter.tsx'
import { ModeSwitch } from './mode-switch.tsx'
import { saveSetting } from './save-setting.ts'

type UserMenuItemsProps = { readonly me: Me; readonly onLogOut: () => void }

export function UserMenuItems({ me, onLogOut }: UserMenuItemsProps) {
  const actions = useActions()
  const loginSearch = useLoginSearch()
  const ref = useRef<HTMLDivElement>(null)
  // If the menu opened before its content had loaded, the menu has the focus.
  useEffect(() => {
    if (!ref.current?.contains(document.activeElement)) ref.current?.querySelector<HTMLElement>('[role^="menuitem"]')?.focus()
  }, [])
  return (
    <div ref={ref}>
      <Credits me={me} />
      <MenuSeparator />
      <ModeSwitch mode={me.setting?.mode ?? 'dark'} onChange={(mode) => void saveSetting(actions, { mode })} />
      <MenuSeparator />
      <MenuLink to="/account" icon={<Settings2 aria-hidden="true" />}>
        Settings
      </MenuLink>
      {me.plan !== 'guest' && (
        <MenuLink to="/team" icon={<UsersRound aria-hidden="true" />}>
          Organizations
        </MenuLink>
      )}
      {me.plan === 'guest' && (
        <MenuLink to="/login" search={loginSearch} icon={<LogIn aria-hidden="true" />}>
          Log in
        </MenuLink>
      )}
      <MenuItem icon={<Keyboard />} keys={chordOf(pageShortcuts.help)} onSelect={() => openOverlay('shortcuts')}>
        {pageShortcuts.help.does}
      </MenuItem>
      <MenuItem icon={<LogOut />} onSelect={onLogOut}>
        Log out
      </MenuItem>
    </div>
  )
}

function Credits({ me: { credits } }: { readonly me: Me }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset has no place inside a menu
    <div role="group" aria-label={`${credits.left} of ${credits.limit} credits left today`} className="px-2 pt-1.5 pb-1">
      <div aria-hidden="true" className="flex justify-between text-xs text-muted-foreground">
        <span>Credits today</span>
        <span>
          {credits.left} of {credits.limit} left
        </span>
      </div>
      <div aria-hidden="true">
        <Meter
          label="Credits left today"
          value={credits.left}
          max={credits.limit}
          tone={credits.warn ? 'warning' : 'accent'}
          className="mt-2"
        />
      </div>
    </div>
  )
}

type MenuLinkProps = {
  readonly to: '/account' | '/login' | '/team'
  readonly search?: { readonly callbackUrl?: string }
  readonly icon: ReactNode
  readonly children: string
}

function MenuLink({ to, search = {}, icon, children }: MenuLinkProps) {
  const close = useCloseMenu()
  return (
    <Link
      to={to}
      search={search}
      role="menuitem"
      tabIndex={-1}
      className={itemClass}
      onClick={() => {
        close()
        closeSheet()
      }}
      onPointerMove={(event) => event.currentTarget.focus({ preventScroll: true })}
    >
      {icon}
      {children}
    </Link>
  )
}

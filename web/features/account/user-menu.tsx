/** Who I am, what I have left today, and the way to settings and out. */
import { Link } from '@tanstack/react-router'
import { ChevronsUpDown, Keyboard, LogIn, LogOut, Settings2, UsersRound } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { later } from '../../lib/later.ts'
import { useLoginSearch } from '../../lib/login-search.ts'
import { pageShortcuts } from '../../lib/shortcut-table.ts'
import { openOverlay } from '../../stores/overlay.ts'
import { closeSheet } from '../../stores/sidebar.ts'
import { useActions } from '../../sync/actions.ts'
import { useMe } from '../../sync/hooks.ts'
import type { Me } from '../../sync/rows.ts'
import { chordOf } from '../../ui/kbd.tsx'
import { itemClass, Menu, MenuItem, MenuSeparator, useCloseMenu } from '../../ui/menu.tsx'
import { Meter } from '../../ui/meter.tsx'
import { PartBoundary } from '../../ui/part-boundary.tsx'
import type { TriggerProps } from '../../ui/popover.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { ModeSwitch } from './mode-switch.tsx'
import { nameOf, planName } from './person.ts'
import { saveSetting } from './save-setting.ts'

const LogoutDialog = later(() => import('./logout-dialog.tsx').then((module) => module.LogoutDialog))

export function UserMenu() {
  const me = useMe()
  const actions = useActions()
  const loginSearch = useLoginSearch()
  const [isLeaving, setLeaving] = useState(false)
  if (!me) return <Skeleton className="h-11" />
  return (
    <>
      <Menu label="You" side="top" className="w-[calc(var(--width-sidebar)-1rem)]" trigger={(props) => <Trigger me={me} trigger={props} />}>
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
        <MenuItem icon={<LogOut />} onSelect={() => setLeaving(true)}>
          Log out
        </MenuItem>
      </Menu>
      {isLeaving && (
        <PartBoundary part="dialog" onClose={() => setLeaving(false)}>
          <LogoutDialog isGuest={me.plan === 'guest'} onClose={() => setLeaving(false)} />
        </PartBoundary>
      )}
    </>
  )
}

function Trigger({ me, trigger }: { readonly me: Me; readonly trigger: TriggerProps }) {
  const name = nameOf(me)
  return (
    <button
      type="button"
      {...trigger}
      className="flex w-full items-center gap-2.5 rounded-lg p-1.5 text-left transition-colors hover:bg-foreground/5 aria-expanded:bg-foreground/8 touch:min-h-11"
    >
      <span
        aria-hidden="true"
        className="flex size-8 shrink-0 items-center justify-center rounded-full bg-accent/14 font-semibold text-accent"
      >
        {name.slice(0, 1).toUpperCase()}
      </span>
      <span className="min-w-0 flex-1">
        <span className="block truncate leading-4 font-medium">{name}</span>
        <span className="block truncate text-xs text-muted-foreground">
          {planName(me.plan)} · {me.credits.left} {me.credits.left === 1 ? 'credit' : 'credits'} left
        </span>
      </span>
      <ChevronsUpDown aria-hidden="true" className="mr-1 size-3.5 text-muted-foreground" />
    </button>
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

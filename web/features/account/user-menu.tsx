/** The signed-in user, with the plan and the credits left today, and a menu with settings and logging out. */
'use no memo' // Renders rarely: in the first load, the caches of the compiler would cost more than they save.
import { ChevronsUpDown } from 'lucide-react'
import { useState } from 'react'
import { initialOf, nameOf } from '../../../worker/contract/display-names.ts'
import { cx } from '../../lib/cx.ts'
import { firstPaintText } from '../../lib/i18n/first-paint-text.ts'
import { lazyPart } from '../../lib/lazy-part.ts'
import { libText } from '../../lib/texts/en.ts'
import { useMe } from '../../sync/hooks.ts'
import type { Me } from '../../sync/rows.ts'
import { Menu } from '../../ui/menu.tsx'
import type { TriggerProps } from '../../ui/popover.tsx'
import { SectionErrorBoundary } from '../../ui/section-error-boundary.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'

const UserMenuItems = lazyPart(() => import('./user-menu-items.tsx').then((module) => module.UserMenuItems))
const LogoutDialog = lazyPart(() => import('./user-menu-items.tsx').then((module) => module.LogoutDialog))

/** `onNavigate`: an item opens another page. */
export function UserMenu({ onNavigate }: { readonly onNavigate: () => void }) {
  const me = useMe()
  const [isLoggingOut, setLoggingOut] = useState(false)
  if (!me) return <Skeleton className="h-11" />
  return (
    <>
      <Menu
        label={libText('you')}
        placement="top-start"
        className="w-[calc(var(--width-sidebar)-1rem)]"
        trigger={(props) => <Trigger me={me} trigger={props} />}
      >
        <UserMenuItems me={me} onNavigate={onNavigate} onLogOut={() => setLoggingOut(true)} />
      </Menu>
      {isLoggingOut && (
        <SectionErrorBoundary part="dialog" onClose={() => setLoggingOut(false)}>
          <LogoutDialog isGuest={me.plan === 'guest'} onClose={() => setLoggingOut(false)} />
        </SectionErrorBoundary>
      )}
    </>
  )
}

function Trigger({ me, trigger }: { readonly me: Me; readonly trigger: TriggerProps }) {
  const name = nameOf(me, firstPaintText)
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
        {initialOf(name)}
      </span>
      <span className="relative min-w-0 flex-1">
        <span className="flex items-center gap-1.5 leading-4 font-medium">
          <span className="min-w-0 truncate">{name}</span>
          <span
            className={cx(
              'shrink-0 rounded-sm border px-1 text-xs leading-3.5',
              me.plan === 'pro' ? 'text-accent' : 'text-muted-foreground',
            )}
          >
            {firstPaintText(me.plan)}
          </span>
        </span>{' '}
        <span className={cx('block truncate text-xs', me.credits.warn ? 'text-warning' : 'text-muted-foreground')}>
          {firstPaintText('creditsLeft', { credits: me.credits.left })}
        </span>
        {me.credits.warn && (
          <svg aria-hidden="true" className="absolute inset-x-0 -bottom-1 h-0.5 w-full rounded-full bg-foreground/10">
            <rect width={`${100 - (100 * me.credits.left) / me.credits.limit}%`} height="100%" className="fill-warning" />
          </svg>
        )}
      </span>
      <ChevronsUpDown aria-hidden="true" className="mr-1 size-3.5 text-muted-foreground" />
    </button>
  )
}

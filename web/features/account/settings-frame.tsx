/** The frame of the settings: back link, sections and the open section. */
import { Link } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import type { ReactNode } from 'react'
import { useWayBack } from '../../lib/navigation.ts'
import { useMe } from '../../sync/hooks.ts'
import { buttonClass } from '../../ui/button.tsx'
import { TabBar, TabLink, TabPage, Tabs } from '../../ui/tab-bar.tsx'
import { GuestNote } from './guest-note.tsx'

export function SettingsFrame({ children }: { readonly children: ReactNode }) {
  const wayBack = useWayBack()
  const isGuest = useMe()?.user.isAnonymous === true
  return (
    <main className="mx-auto w-full max-w-2xl px-4 pt-[max(1rem,env(safe-area-inset-top))] pb-24 md:pt-8">
      <Link {...wayBack} className={buttonClass({ variant: 'ghost', size: 'sm', className: '-ml-2.5 text-muted-foreground' })}>
        <ArrowLeft aria-hidden="true" className="size-4" />
        Back
      </Link>
      <h1 className="mt-4 text-2xl font-semibold tracking-tight">Settings</h1>
      <Tabs>
        <TabBar label="Settings">
          {sections.map(({ to, name }) => (
            <TabLink key={to} path={to} link={<Link to={to} activeOptions={{ exact: true }} />}>
              {name}
            </TabLink>
          ))}
        </TabBar>
        {isGuest && <GuestNote />}
        <TabPage>{children}</TabPage>
      </Tabs>
    </main>
  )
}

/** The settings pages in order. */
export const sections = [
  { to: '/account', name: 'Account', words: 'name sessions devices log out delete export' },
  { to: '/account/subscription', name: 'Subscription', words: 'plan PRO credits usage billing' },
  { to: '/account/preferences', name: 'Preferences', words: 'nickname biography instructions enter' },
  { to: '/account/models', name: 'Models', words: 'pin prices' },
  { to: '/account/appearance', name: 'Appearance', words: 'mode theme dark light colours' },
] as const

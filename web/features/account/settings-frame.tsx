/** The frame of the settings: back link, sections and the open section. */
import { Link } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import type { ReactNode } from 'react'
import { useLoginSearch, useWayBack } from '../../lib/navigation.ts'
import { useMe } from '../../sync/hooks.ts'
import { buttonClass } from '../../ui/button.tsx'
import { TabBar, TabLink, TabPage, Tabs } from '../../ui/tab-bar.tsx'
import { t } from './texts/t.ts'

export function SettingsFrame({ children }: { readonly children: ReactNode }) {
  const wayBack = useWayBack()
  const isGuest = useMe()?.user.isAnonymous === true
  return (
    <main className="mx-auto w-full max-w-2xl px-4 pt-[max(1rem,env(safe-area-inset-top))] pb-24 md:pt-8">
      <Link {...wayBack} className={buttonClass({ variant: 'ghost', size: 'sm', className: '-ml-2.5 text-muted-foreground' })}>
        <ArrowLeft aria-hidden="true" className="size-4" />
        {t('back')}
      </Link>
      <h1 className="mt-4 text-2xl font-semibold tracking-tight">{t('settings')}</h1>
      <Tabs>
        <TabBar label={t('settings')}>
          {sections.map(({ to, name }) => (
            <TabLink key={to} path={to} link={<Link to={to} activeOptions={{ exact: true }} />}>
              {t(name)}
            </TabLink>
          ))}
        </TabBar>
        {isGuest && <GuestNote />}
        <TabPage>{children}</TabPage>
      </Tabs>
    </main>
  )
}

/** The settings pages in order. Names and search words are keys of the texts. */
export const sections = [
  { to: '/account', name: 'account', words: 'accountWords' },
  { to: '/account/subscription', name: 'subscription', words: 'subscriptionWords' },
  { to: '/account/preferences', name: 'preferences', words: 'preferencesWords' },
  { to: '/account/models', name: 'models', words: 'modelsWords' },
  { to: '/account/prompts', name: 'prompts', words: 'promptsWords' },
  { to: '/account/appearance', name: 'appearance', words: 'appearanceWords' },
] as const

/** Tells guests why they should log in. Shown on every page, so at most two lines on a phone. */
function GuestNote() {
  const loginSearch = useLoginSearch()
  return (
    <aside
      aria-label={t('guest')}
      className="mt-4 flex items-center gap-3 rounded-lg border border-warning/40 bg-warning/6 px-3 py-2 sm:mt-6 sm:gap-4 sm:p-4"
    >
      <div className="min-w-0 flex-1">
        <h2 className="font-semibold max-sm:sr-only">{t('guestTitle')}</h2>
        <p className="text-xs text-muted-foreground text-pretty sm:hidden">{t('guestShort')}</p>
        <p className="mt-1 text-muted-foreground text-pretty max-sm:hidden">{t('guestNote')}</p>
      </div>
      <Link to="/login" search={loginSearch} className={buttonClass({ variant: 'primary' })}>
        {t('logIn')}
      </Link>
    </aside>
  )
}

/** The frame of the settings: back link, list of sections and the open section. */
import { Link, Outlet, useLocation } from '@tanstack/react-router'
import {
  Box,
  BrainCircuit,
  ChartColumn,
  ChevronRight,
  CreditCard,
  Database,
  Palette,
  SlidersHorizontal,
  TextQuote,
  UserRound,
  Wrench,
} from 'lucide-react'
import type { SettingArgs } from '../../../worker/contract/mutators.ts'
import { cx } from '../../lib/cx.ts'
import { useBackLink } from '../../lib/navigation.ts'
import { usePageTitle } from '../../lib/page-head.ts'
import { pageSettings } from '../../lib/page-settings.ts'
import { refusalSentence } from '../../lib/refusals/sentence.ts'
import { useSaveSettings } from '../../sync/save-settings.ts'
import { useMarkedSave } from '../../ui/autosaved-field.tsx'
import { BackRow } from '../../ui/back-row.tsx'
import { LegalLinks } from '../../ui/legal-links/legal-links.tsx'
import { PageColumn } from '../../ui/page-column.tsx'
import { t } from './texts/en.ts'

/**
 * In a wide window the sections are a rail next to the open one. In a narrow window `/account` lists them, and `hashOf` gives the address of the
 * first section.
 */
export function SettingsFrame() {
  usePageTitle(null)
  const { pathname, hash } = useLocation()
  const open = sections.find(({ to }) => to === pathname) ?? sections[0]
  const isList = open === sections[0] && hash !== hashOf(open.to)
  const wayBack = useBackLink()
  return (
    <PageColumn isWide>
      <BackRow {...wayBack} className={isList ? undefined : 'max-lg:hidden'}>
        {t('back')}
      </BackRow>
      {!isList && (
        <BackRow to="/account" className="lg:hidden">
          {t('settings')}
        </BackRow>
      )}
      <h1 className="text-title md:mt-4">
        {isList ? (
          t('settings')
        ) : (
          <>
            <span className="lg:hidden">{t(open.name)}</span>
            <span className="max-lg:hidden">{t('settings')}</span>
          </>
        )}
      </h1>
      <div className="mt-6 lg:grid lg:grid-cols-[12rem_minmax(0,1fr)] lg:gap-12">
        {/* Next to the open section and not below it, because the links would move while it loads. */}
        <div className={cx('self-start lg:sticky lg:top-4', !isList && 'max-lg:hidden')}>
          <nav
            aria-label={t('settings')}
            className="max-lg:divide-y max-lg:rounded-xl max-lg:border lg:-ml-3 lg:flex lg:flex-col lg:gap-0.5"
          >
            {sections.map(({ to, name, Icon }) => (
              <Link
                key={to}
                to={to}
                hash={hashOf(to)}
                activeOptions={{ exact: true }}
                className="flex h-12 items-center gap-3 px-4 transition-colors hover:bg-foreground/5 lg:h-9 lg:rounded-lg lg:px-3 lg:text-muted-foreground lg:aria-[current=page]:bg-muted lg:aria-[current=page]:font-medium lg:aria-[current=page]:text-foreground"
              >
                <Icon aria-hidden="true" className="size-4 shrink-0 text-muted-foreground" />
                <span className="min-w-0 flex-1 truncate">{t(name)}</span>
                <ChevronRight aria-hidden="true" className="size-4 shrink-0 text-muted-foreground lg:hidden" />
              </Link>
            ))}
          </nav>
          <LegalLinks links={pageSettings.legal} hasLicenses className="mt-3 max-lg:px-4 lg:mt-6 lg:flex-col" />
        </div>
        <div className={cx('min-w-0', isList && 'max-lg:hidden')}>
          <h2 className="mb-6 text-xl font-semibold tracking-tight max-lg:hidden">{t(open.name)}</h2>
          <Outlet />
        </div>
      </div>
    </PageColumn>
  )
}

/** The settings pages in order. Names and search words are keys of the texts. */
export const sections = [
  { to: '/account', name: 'account', words: 'accountWords', Icon: UserRound },
  { to: '/account/subscription', name: 'subscription', words: 'subscriptionWords', Icon: CreditCard },
  { to: '/account/usage', name: 'usage', words: 'usageWords', Icon: ChartColumn },
  { to: '/account/preferences', name: 'preferences', words: 'preferencesWords', Icon: SlidersHorizontal },
  { to: '/account/models', name: 'models', words: 'modelsWords', Icon: Box },
  { to: '/account/prompts', name: 'prompts', words: 'promptsWords', Icon: TextQuote },
  { to: '/account/memory', name: 'memory', words: 'memoryWords', Icon: BrainCircuit },
  { to: '/account/tools', name: 'tools', words: 'toolsWords', Icon: Wrench },
  { to: '/account/appearance', name: 'appearance', words: 'appearanceWords', Icon: Palette },
  { to: '/account/data', name: 'data', words: 'dataWords', Icon: Database },
] as const

/** The hash in the address of a section. In a narrow window, `/account` without it lists the sections. */
export const hashOf = (path: string): string => (path === sections[0].to ? 'account' : '')

/** Saves settings. Resolves with the reason of a refusal. */
export function useSaveSetting(): (changes: SettingArgs) => Promise<string | undefined> {
  const saveSettings = useSaveSettings()
  return async (changes) => {
    const outcome = await saveSettings(changes)
    return outcome.ok ? undefined : refusalSentence(outcome.refusal)
  }
}

/** Returns `save` and the props of `SavedMark`. */
export function useSetting() {
  return useMarkedSave(useSaveSetting())
}

/** The frame of the settings: back link, list of sections and the open section. */
import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { ArrowLeft, Box, ChevronRight, CreditCard, Database, Palette, SlidersHorizontal, TextQuote, UserRound } from 'lucide-react'
import type { SettingArgs } from '../../../worker/contract/mutators.ts'
import { cx } from '../../lib/cx.ts'
import { useBackLink } from '../../lib/navigation.ts'
import { usePageTitle } from '../../lib/page-head.ts'
import { pageSettings } from '../../lib/page-settings.ts'
import { refusalSentence } from '../../lib/refusals/sentence.ts'
import { useSaveSettings } from '../../sync/act.ts'
import { useMarkedSave } from '../../ui/autosaved-field.tsx'
import { buttonClass } from '../../ui/button.tsx'
import { LegalLinks } from '../../ui/legal-links/legal-links.tsx'
import { PageColumn } from '../../ui/page-column.tsx'
import { t } from './texts/en.ts'

/** In a wide window the sections are a rail next to the open one. In others the first page lists them above its own content. */
export function SettingsFrame() {
  usePageTitle(null)
  const path = useLocation({ select: ({ pathname }) => pathname })
  const open = sections.find(({ to }) => to === path) ?? sections[0]
  const isFirst = open === sections[0]
  const wayBack = useBackLink()
  return (
    <PageColumn isWide>
      <Link {...wayBack} className={cx(backClass, !isFirst && 'max-lg:hidden')}>
        <ArrowLeft aria-hidden="true" className="size-4" />
        {t('back')}
      </Link>
      {!isFirst && (
        <Link to="/account" className={cx(backClass, 'lg:hidden')}>
          <ArrowLeft aria-hidden="true" className="size-4" />
          {t('settings')}
        </Link>
      )}
      <h1 className="mt-4 text-2xl font-semibold tracking-tight">
        {isFirst ? (
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
        <div className={cx('self-start max-lg:mb-8 lg:sticky lg:top-4', !isFirst && 'max-lg:hidden')}>
          <nav
            aria-label={t('settings')}
            className="max-lg:divide-y max-lg:rounded-xl max-lg:border lg:-ml-3 lg:flex lg:flex-col lg:gap-0.5"
          >
            {sections.map(({ to, name, Icon }) => (
              <Link
                key={to}
                to={to}
                activeOptions={{ exact: true }}
                className={cx(
                  'flex h-12 items-center gap-3 px-4 transition-colors hover:bg-foreground/5 lg:h-9 lg:rounded-lg lg:px-3',
                  'lg:text-muted-foreground lg:aria-[current=page]:bg-muted lg:aria-[current=page]:font-medium lg:aria-[current=page]:text-foreground',
                  to === sections[0].to && 'max-lg:hidden',
                )}
              >
                <Icon aria-hidden="true" className="size-4 shrink-0 text-muted-foreground" />
                <span className="min-w-0 flex-1 truncate">{t(name)}</span>
                <ChevronRight aria-hidden="true" className="size-4 shrink-0 text-muted-foreground lg:hidden" />
              </Link>
            ))}
          </nav>
          <LegalLinks links={pageSettings.legal} hasLicenses className="mt-3 max-lg:px-4 lg:mt-6 lg:flex-col" />
        </div>
        <div className="min-w-0">
          <Outlet />
        </div>
      </div>
    </PageColumn>
  )
}

const backClass = buttonClass({ variant: 'ghost', size: 'sm', className: '-ml-2.5 text-muted-foreground' })

/** The settings pages in order. Names and search words are keys of the texts. */
export const sections = [
  { to: '/account', name: 'account', words: 'accountWords', Icon: UserRound },
  { to: '/account/subscription', name: 'subscription', words: 'subscriptionWords', Icon: CreditCard },
  { to: '/account/preferences', name: 'preferences', words: 'preferencesWords', Icon: SlidersHorizontal },
  { to: '/account/models', name: 'models', words: 'modelsWords', Icon: Box },
  { to: '/account/prompts', name: 'prompts', words: 'promptsWords', Icon: TextQuote },
  { to: '/account/appearance', name: 'appearance', words: 'appearanceWords', Icon: Palette },
  { to: '/account/data', name: 'data', words: 'dataWords', Icon: Database },
] as const

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

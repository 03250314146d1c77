/** The frame of the settings: back link, sections and the open section. */
import { Link, Outlet } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import type { SettingArgs } from '../../../worker/contract/mutators.ts'
import { useBackLink } from '../../lib/navigation.ts'
import { usePageTitle } from '../../lib/page-head.ts'
import { refusalSentence } from '../../lib/refusals/sentence.ts'
import { useSaveSettings } from '../../sync/act.ts'
import { useMarkedSave } from '../../ui/autosaved-field.tsx'
import { buttonClass } from '../../ui/button.tsx'
import { PageColumn } from '../../ui/page-column.tsx'
import { TabBar, TabLink, TabPage, Tabs } from '../../ui/tab-bar.tsx'
import { t } from './texts/en.ts'

export function SettingsFrame() {
  usePageTitle(null)
  const wayBack = useBackLink()
  return (
    <PageColumn>
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
        <TabPage>
          <Outlet />
        </TabPage>
      </Tabs>
    </PageColumn>
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

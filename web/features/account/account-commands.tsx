/** Palette commands of the account: pages, login and appearance. */
import { useNavigate } from '@tanstack/react-router'
import { Languages, LogIn, Palette, Settings2, Sparkles, SunMoon, UsersRound } from 'lucide-react'
import { languageChoices } from '../../../worker/contract/languages.ts'
import { type Theme, themeClasses, themes } from '../../../worker/contract/themes.ts'
import { cx } from '../../lib/cx.ts'
import { useLoginSearch } from '../../lib/navigation.ts'
import { openUpsell } from '../../lib/overlays.ts'
import { canLogIn, pageSettings } from '../../lib/page-settings.ts'
import { useMe } from '../../sync/hooks.ts'
import { useSaveSettings } from '../../sync/save-settings.ts'
import type { Command } from '../../ui/command.ts'
import { toastRefusal } from '../../ui/toast-refusal.ts'
import { chosenAppearance, languageNames, modeChoices, themeName } from './appearances.ts'
import { hashOf, sections } from './settings-frame.tsx'
import { t } from './texts/en.ts'

export function useAppearanceCommands(): readonly Command[] {
  const setting = useMe()?.setting
  const saveSettings = useSaveSettings()
  if (!setting) return []
  const shown = chosenAppearance(setting)
  return [
    {
      id: 'mode',
      title: t('changeMode'),
      words: t('changeModeWords'),
      icon: <SunMoon aria-hidden="true" />,
      ask: t('whichMode'),
      choices: modeChoices.map(({ mode, Icon }) => ({
        id: `mode-${mode}`,
        title: t(mode),
        detail: t('mode'),
        icon: <Icon aria-hidden="true" />,
        isChosen: mode === shown.mode,
        preview: { ...shown, mode },
        run: () => void toastRefusal(saveSettings({ mode })),
      })),
    },
    {
      id: 'theme',
      title: t('changeTheme'),
      words: t('changeThemeWords'),
      icon: <Palette aria-hidden="true" />,
      ask: t('whichTheme'),
      choices: themes.map((theme) => ({
        id: `theme-${theme}`,
        title: themeName(theme),
        detail: t('theme'),
        icon: <Swatch mode={shown.mode} theme={theme} />,
        isChosen: theme === shown.theme,
        preview: { ...shown, theme },
        run: () => void toastRefusal(saveSettings({ theme })),
      })),
    },
    {
      id: 'language',
      title: t('changeLanguage'),
      words: t('changeLanguageWords'),
      icon: <Languages aria-hidden="true" />,
      ask: t('whichLanguage'),
      choices: languageChoices.map((language) => ({
        id: `language-${language}`,
        title: languageNames[language] ?? t('system'),
        detail: t('language'),
        icon: <Languages aria-hidden="true" />,
        isChosen: language === (setting.language ?? 'system'),
        run: () => void toastRefusal(saveSettings({ language })),
      })),
    },
  ]
}

/** Page and accent of the theme. */
const Swatch = ({ mode, theme }: { readonly mode: string; readonly theme: Theme }) => (
  <span
    aria-hidden="true"
    className={cx(themeClasses(mode, theme), 'flex size-4 shrink-0 overflow-hidden rounded-full border forced-color-adjust-none')}
  >
    <span className="w-1/2 bg-background" />
    <span className="w-1/2 bg-accent" />
  </span>
)

export function useSettingsCommands(): readonly Command[] {
  const plan = useMe()?.plan
  const navigate = useNavigate()
  const loginSearch = useLoginSearch()
  const pages = sections.map(
    ({ to, name, words }): Command => ({
      id: to,
      title: t(name),
      words: `${t('settingsWords')} ${t(words)}`,
      icon: <Settings2 aria-hidden="true" />,
      run: () => void navigate({ to, hash: hashOf(to) }),
    }),
  )
  return [
    ...pages,
    ...(plan && plan !== 'guest' ? [organizations(() => void navigate({ to: '/team' }))] : []),
    ...(canLogIn && plan === 'guest' ? [logIn(() => void navigate({ to: '/login', search: loginSearch }))] : []),
    ...(plan && plan !== 'pro' && pageSettings.billing ? [upgrade()] : []),
  ]
}

const organizations = (run: () => void): Command => ({
  id: 'organizations',
  title: t('organizations'),
  words: t('organizationsWords'),
  icon: <UsersRound aria-hidden="true" />,
  run,
})
const logIn = (run: () => void): Command => ({
  id: 'login',
  title: t('logIn'),
  words: t('logInWords'),
  icon: <LogIn aria-hidden="true" />,
  run,
})
const upgrade = (): Command => ({
  id: 'upgrade',
  title: t('upgradeToPro'),
  words: t('upgradeWords'),
  icon: <Sparkles aria-hidden="true" />,
  run: openUpsell,
})

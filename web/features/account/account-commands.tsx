/** Palette commands of the account: pages, login and appearance. */
import { useNavigate } from '@tanstack/react-router'
import { LogIn, Palette, Settings2, Sparkles, SunMoon, UsersRound } from 'lucide-react'
import { defaultMode, defaultTheme, themes } from '../../../worker/contract/themes.ts'
import { useLoginSearch } from '../../lib/navigation.ts'
import { openUpsell } from '../../lib/overlays.ts'
import { pageSettings } from '../../lib/page-settings.ts'
import { useActions } from '../../sync/actions.ts'
import { useMe } from '../../sync/hooks.ts'
import type { Command } from '../../ui/command.ts'
import { modeChoices, themeNames } from './appearances.ts'
import { saveSetting } from './save-setting.ts'
import { sections } from './settings-frame.tsx'

export function useAppearanceCommands(): readonly Command[] {
  const setting = useMe()?.setting
  const actions = useActions()
  if (!setting) return []
  return [
    {
      id: 'mode',
      title: 'Change mode',
      words: 'appearance dark light system',
      icon: <SunMoon aria-hidden="true" />,
      ask: 'Which mode?',
      choices: modeChoices.map(({ mode, name, Icon }) => ({
        id: `mode-${mode}`,
        title: name,
        detail: 'Mode',
        icon: <Icon aria-hidden="true" />,
        isChosen: mode === (setting.mode ?? defaultMode),
        run: () => void saveSetting(actions, { mode }),
      })),
    },
    {
      id: 'theme',
      title: 'Change theme',
      words: 'appearance colours',
      icon: <Palette aria-hidden="true" />,
      ask: 'Which theme?',
      choices: themes.map((theme) => ({
        id: `theme-${theme}`,
        title: themeNames[theme],
        detail: 'Theme',
        icon: <Palette aria-hidden="true" />,
        isChosen: theme === (themes.find((name) => name === setting.theme) ?? defaultTheme),
        run: () => void saveSetting(actions, { theme }),
      })),
    },
  ]
}

export function useSettingsCommands(): readonly Command[] {
  const plan = useMe()?.plan
  const navigate = useNavigate()
  const loginSearch = useLoginSearch()
  const pages = sections.map(
    ({ to, name, words }): Command => ({
      id: to,
      title: name,
      words: `settings ${words}`,
      icon: <Settings2 aria-hidden="true" />,
      run: () => void navigate({ to }),
    }),
  )
  return [
    ...pages,
    ...(plan && plan !== 'guest' ? [organizations(() => void navigate({ to: '/team' }))] : []),
    ...(plan === 'guest' ? [logIn(() => void navigate({ to: '/login', search: loginSearch }))] : []),
    ...(plan && plan !== 'pro' && pageSettings.billing ? [upgrade] : []),
  ]
}

const organizations = (run: () => void): Command => ({
  id: 'organizations',
  title: 'Organizations',
  words: 'team members invitations',
  icon: <UsersRound aria-hidden="true" />,
  run,
})
const logIn = (run: () => void): Command => ({
  id: 'login',
  title: 'Log in',
  words: 'sign in account',
  icon: <LogIn aria-hidden="true" />,
  run,
})
const upgrade: Command = {
  id: 'upgrade',
  title: 'Upgrade to PRO',
  words: 'plan subscription price',
  icon: <Sparkles aria-hidden="true" />,
  run: openUpsell,
}

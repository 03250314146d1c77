/** Modes, themes and languages with their icons and names. */
import { Monitor, Moon, Sun } from 'lucide-react'
import type { LanguageChoice } from '../../../worker/contract/languages.ts'
import { defaultMode, defaultTheme, type Theme, themes } from '../../../worker/contract/themes.ts'
import type { Me } from '../../sync/rows.ts'

export const modeChoices = [
  { mode: 'light', Icon: Sun },
  { mode: 'dark', Icon: Moon },
  { mode: 'system', Icon: Monitor },
] as const

export type Mode = (typeof modeChoices)[number]['mode']

/** Proper names, the same in every language. */
const themeNames: Record<Theme, string> = {
  default: 'Harbor',
  rose: 'Rosé',
  clay: 'Clay',
  paper: 'Paper',
  graphite: 'Graphite',
  haze: 'Haze',
  mono: 'Mono',
}

export const themeName = (theme: Theme): string => themeNames[theme]

/** Language names, each in its own language. */
export const languageNames: { readonly [choice in LanguageChoice]: string | null } = { system: null, en: 'English', de: 'Deutsch' }

/** The mode and the theme of the settings, or the defaults. A newer release may have stored an unknown theme. */
export const chosenAppearance = ({ mode, theme }: NonNullable<Me['setting']>) => ({
  mode: mode ?? defaultMode,
  theme: themes.find((name) => name === theme) ?? defaultTheme,
})

/** Display names of modes and themes. */
import { Monitor, Moon, Sun } from 'lucide-react'
import type { Theme } from '../../../worker/contract/themes.ts'

export const modeChoices = [
  { mode: 'light', name: 'Light', Icon: Sun },
  { mode: 'dark', name: 'Dark', Icon: Moon },
  { mode: 'system', name: 'System', Icon: Monitor },
] as const

export type Mode = (typeof modeChoices)[number]['mode']

export const themeNames: Record<Theme, string> = {
  default: 'Default',
  't3-chat': 'T3 Chat',
  claymorphism: 'Claymorphism',
  claude: 'Claude',
  graphite: 'Graphite',
  'amethyst-haze': 'Amethyst Haze',
  vercel: 'Vercel',
}

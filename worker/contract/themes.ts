/** The theme names as stored, in the order of the appearance page. */
export const themes = ['default', 'rose', 'clay', 'paper', 'graphite', 'haze', 'mono'] as const
export type Theme = (typeof themes)[number]

export const modes = ['dark', 'light', 'system'] as const

export const defaultMode = 'dark'
export const defaultTheme: Theme = 'default'

/** Class list of the root element, from a setting row. Defaults apply without a row. */
export const themeClasses = (mode: string | null | undefined, theme: string | null | undefined): string => {
  const knownMode = modes.find((name) => name === mode) ?? defaultMode
  const knownTheme = themes.find((name) => name === theme) ?? defaultTheme
  return `${knownMode} theme-${knownTheme}`
}

/** The colours of the default theme (`web/styles/themes.css`) for mails and for pages without the stylesheet of the app. */

/** `ground`: around a card. */
export const lightPalette = {
  background: '#fbfdfd',
  ground: '#eaefef',
  line: '#d9e0e0',
  text: '#151c1e',
  muted: '#586266',
  accent: '#006b75',
  'on-accent': '#f8fdfd',
} as const

const darkPalette = {
  background: '#0e1213',
  line: '#262c2e',
  text: '#eaeeee',
  muted: '#96a0a3',
  accent: '#68cecd',
  'on-accent': '#02171b',
} as const

const variables = (palette: object): string =>
  Object.entries(palette)
    .map(([name, color]) => `--${name}: ${color};`)
    .join(' ')

/** Variables such as `--text`, in the mode of the system. */
export const paletteCss = `:root { color-scheme: light dark; ${variables(lightPalette)} }
@media (prefers-color-scheme: dark) { :root { ${variables(darkPalette)} } }`

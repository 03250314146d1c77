// The part of highlight.js that we use. Its own types add those of the browser to every project, and the Worker has others
// (`paths` in tsconfig.base.json).
declare module 'highlight.js' {
  export type LanguageFn = (library: object) => object
}

declare module 'highlight.js/lib/languages/*' {
  import type { LanguageFn } from 'highlight.js'

  const language: LanguageFn
  // biome-ignore lint/style/noDefaultExport: as the package exports it
  export default language
}

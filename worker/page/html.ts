/** Streams the built index.html and adds theme classes, title, page settings, first paint and first page. */
import type { InlinedPage } from '../contract/first-page.ts'
import type { PageSettings } from '../contract/http.ts'
import { defaultLanguage } from '../contract/languages.ts'
import { themeClasses } from '../contract/themes.ts'
import { inlinedText, productName, scriptJson } from './page-settings.ts'
import { pageTexts } from './page-texts.ts'

type Inserted = {
  readonly inlined?: InlinedPage | null
  /** Markup; see `first-paint.ts`. */
  readonly firstPaint?: string | null
}

/** `nonce` allows our inline scripts in the content security policy. Vite adds one in development. */
export function writePageSettings(
  html: Response,
  settings: PageSettings,
  nonce: string,
  { inlined = null, firstPaint = null }: Inserted = {},
): Response {
  const text = pageTexts[settings.language ?? defaultLanguage]
  let hasDescription = false
  return new HTMLRewriter()
    .on('html', {
      element: (root) => {
        root.setAttribute('class', themeClasses(settings.mode, settings.theme))
        if (settings.language) root.setAttribute('lang', settings.language)
      },
    })
    .on('title', {
      element: (title) => {
        title.setInnerContent(settings.title ?? productName)
      },
    })
    .on('meta[name="description"]', {
      element: (meta) => {
        hasDescription = true
        meta.setAttribute('content', text.description)
      },
    })
    .on('body noscript', {
      element: (noscript) => {
        noscript.setInnerContent(text.noScript)
      },
    })
    .on('script', {
      element: (script) => {
        script.setAttribute('nonce', nonce)
      },
    })
    .on('#root', {
      element: (root) => {
        if (firstPaint !== null) root.before(firstPaint, { html: true })
      },
    })
    .on('body', {
      element: (body) => {
        if (inlined === null) return
        // Last in the body, so that the browser requests the files of the head before it receives these bytes.
        body.onEndTag((end) => {
          end.before(`<script type="application/json" id="first-page">${inlinedText(inlined)}</script>`, { html: true })
        })
      },
    })
    .on('head', {
      element: (head) => {
        // At the end of the head: only then is it known whether a description exists.
        head.onEndTag((end) => {
          if (!hasDescription) end.before(`<meta name="description" content="${text.description}">`, { html: true })
          end.before(`<script type="application/json" id="page-settings">${scriptJson(settings)}</script>`, { html: true })
        })
      },
    })
    .transform(html)
}

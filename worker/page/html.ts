/** Writes the hint into the built index.html while it streams by: the page has its colours and its title in the first byte. */
import type { InlinedPage } from '../contract/first-page.ts'
import type { PageHint } from '../contract/http.ts'
import { themeClasses } from '../contract/themes.ts'
import { inlinedText, pageDescription, productName, scriptJson } from './hint.ts'

/** `nonce` marks our own inline scripts (Vite writes one in development) as allowed by the content security policy. */
export function writeHint(html: Response, hint: PageHint, nonce: string, inlined: InlinedPage | null = null): Response {
  let hasDescription = false
  return new HTMLRewriter()
    .on('html', {
      element: (root) => {
        root.setAttribute('class', themeClasses(hint.mode, hint.theme))
      },
    })
    .on('title', {
      element: (title) => {
        title.setInnerContent(hint.title ?? productName)
      },
    })
    .on('meta[name="description"]', {
      element: (meta) => {
        hasDescription = true
        meta.setAttribute('content', pageDescription)
      },
    })
    .on('script', {
      element: (script) => {
        script.setAttribute('nonce', nonce)
      },
    })
    .on('body', {
      element: (body) => {
        if (inlined === null) return
        // Behind everything else: what the head asks for is on its way before these bytes are.
        body.onEndTag((end) => {
          end.before(`<script type="application/json" id="first-page">${inlinedText(inlined)}</script>`, { html: true })
        })
      },
    })
    .on('head', {
      element: (head) => {
        // At its end, when it is known what the head already says.
        head.onEndTag((end) => {
          if (!hasDescription) end.before(`<meta name="description" content="${pageDescription}">`, { html: true })
          end.before(`<script type="application/json" id="page-hint">${scriptJson(hint)}</script>`, { html: true })
        })
      },
    })
    .transform(html)
}

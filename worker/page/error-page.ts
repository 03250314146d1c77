/** Error pages that need neither settings nor a database. */

import { escapeHtml } from '../lib/escape-html.ts'
import type { Problem } from '../settings.ts'
import { pageTextsFor } from './page-texts.ts'
import { plainPage } from './plain-page.ts'

/** The instructions for the operator are in English, like the set-up page. */
export function misconfiguredPage(request: Request, problems: readonly Problem[]): Response {
  const { language, text } = pageTextsFor(request)
  const items = problems.map(({ name, reason, prefix = '' }) => `<li>${prefix}<code>${escapeHtml(name)}</code> ${escapeHtml(reason)}</li>`)
  const body = `<p>${text.notSetUpReason}</p>
<div lang="en"><ul>${items.join('')}</ul>
<p>Every setting has one line in <code>.dev.vars.example</code>. List the features that you do not need in <code>DISABLED_FEATURES</code>.</p>
<p><a href="/api/setup">Check the current settings</a></p></div>`
  return plainPage(500, text.notSetUp, body, language)
}

export function failedPage(request: Request, requestId: string): Response {
  const { language, text } = pageTextsFor(request)
  return plainPage(500, text.failed, `<p>${text.failedReason}</p>\n<p><code>${escapeHtml(requestId)}</code></p>`, language)
}

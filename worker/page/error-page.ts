/** Error pages that need neither settings nor a database. */

import { escapeHtml } from '../lib/escape-html.ts'
import type { Problem } from '../settings.ts'
import { productName } from './page-settings.ts'
import { plainPage } from './plain-page.ts'

export const misconfiguredPage = (problems: readonly Problem[]): Response =>
  plainPage(
    500,
    `${productName} is not set up yet`,
    `<p>This server is missing settings. The operator has to set them and deploy again. No data is lost.</p>
<ul>${problems.map(({ name, reason, prefix = '' }) => `<li>${prefix}<code>${escapeHtml(name)}</code> ${escapeHtml(reason)}</li>`).join('')}</ul>
<p>Every setting has one line in <code>.dev.vars.example</code>. List the features that you do not need in <code>DISABLED_FEATURES</code>.</p>
<p><a href="/api/setup">Check the current settings</a></p>`,
  )

export const failedPage = (requestId: string): Response =>
  plainPage(
    500,
    'Something went wrong!',
    `<p>The page could not be loaded. Reload it in a moment. If the error persists, quote this request id:</p>
<p><code>${escapeHtml(requestId)}</code></p>`,
  )

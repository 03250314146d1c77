/** The pages for when there can be no other. */
import type { Problem } from '../env.ts'
import { productName } from './hint.ts'
import { escapeHtml, plainPage } from './plain-page.ts'

export const misconfiguredPage = (problems: readonly Problem[]): Response =>
  plainPage(
    500,
    `${productName} is not set up yet`,
    `<p>This server is missing settings. Whoever runs it sets them and deploys again; nothing is lost.</p>
<ul>${problems.map(({ name, reason, prefix = '' }) => `<li>${prefix}<code>${escapeHtml(name)}</code> ${escapeHtml(reason)}</li>`).join('')}</ul>
<p>Every setting has one line in <code>.dev.vars.example</code>. What is not wanted is switched off by name in <code>DISABLED_FEATURES</code>.</p>
<p><a href="/api/setup">Try what is set already</a></p>`,
  )

export const failedPage = (requestId: string): Response =>
  plainPage(
    500,
    'Something went wrong!',
    `<p>The page could not be made. Reload it in a moment. If it keeps failing, this number finds it in the log:</p>
<p><code>${escapeHtml(requestId)}</code></p>`,
  )

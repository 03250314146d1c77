/** The setup page for the operator: missing settings, and the result of each check. */

import { escapeHtml } from '../lib/escape-html.ts'
import type { Problem } from '../settings.ts'
import { plainPage } from './plain-page.ts'

type Checked = { readonly name: string; readonly state: 'works' | 'warning' | 'wrong' | 'off'; readonly detail: string }

const stateLabels = { works: 'works', warning: 'warning', wrong: 'needs attention', off: 'off' } as const

export function setupPage(problems: readonly Problem[], checked: readonly Checked[]): Response {
  const wrong = checked.filter(({ state }) => state === 'wrong').length
  const count = problems.length + wrong
  const summary =
    count === 0 ? 'Everything that is set works.' : `${count === 1 ? 'One setting needs' : `${count} settings need`} attention.`
  const missing = problems
    .map(({ name, reason, prefix = '' }) => `<li>${prefix}<code>${escapeHtml(name)}</code> ${escapeHtml(reason)}</li>`)
    .join('')
  return plainPage(
    200,
    'Set-up',
    `<p>${summary} Every setting has one line in <code>.dev.vars.example</code>; set one with <code>npx wrangler secret put NAME</code>.</p>
${missing && `<h2>Missing</h2><ul>${missing}</ul>`}
<h2>Checks</h2>
<ul>${checked.map(line).join('')}</ul>`,
  )
}

const line = ({ name, state, detail }: Checked) =>
  `<li><strong>${escapeHtml(name)}</strong> <span class="${state === 'works' ? 'good' : state === 'wrong' ? 'bad' : ''}">${stateLabels[state]}</span><br>${escapeHtml(detail)}</li>`

/** With a CRON_SECRET set, the page shows nothing before the secret is entered. */
export const setupGate = (isRefused: boolean): Response =>
  plainPage(
    isRefused ? 403 : 200,
    'Set-up',
    `<form method="post"><p>${isRefused ? 'Wrong secret.' : 'The operator of this server can check every part of it.'}</p>
<p><label for="secret">CRON_SECRET</label><input id="secret" name="secret" type="password" autocomplete="off" required></p>
<button class="primary">Run all checks</button></form>`,
  )

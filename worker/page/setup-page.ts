/** The page for whoever deploys this: what is missing, and what of the rest works. */
import type { Problem } from '../env.ts'
import { escapeHtml, plainPage } from './plain-page.ts'

type Checked = { readonly name: string; readonly state: 'works' | 'warning' | 'wrong' | 'off'; readonly detail: string }

const words = { works: 'works', warning: 'warning', wrong: 'needs you', off: 'off' } as const

export function setupPage(problems: readonly Problem[], checked: readonly Checked[]): Response {
  const wrong = checked.filter(({ state }) => state === 'wrong').length
  const count = problems.length + wrong
  const verdict = count === 0 ? 'Everything that is set works.' : `${count === 1 ? 'One thing needs' : `${count} things need`} you.`
  const missing = problems
    .map(({ name, reason, prefix = '' }) => `<li>${prefix}<code>${escapeHtml(name)}</code> ${escapeHtml(reason)}</li>`)
    .join('')
  return plainPage(
    200,
    'Set-up',
    `<p>${verdict} Every setting has one line in <code>.dev.vars.example</code>; set one with <code>npx wrangler secret put NAME</code>.</p>
${missing && `<h2>Missing</h2><ul>${missing}</ul>`}
<h2>Tried just now</h2>
<ul>${checked.map(line).join('')}</ul>`,
  )
}

const line = ({ name, state, detail }: Checked) =>
  `<li><strong>${escapeHtml(name)}</strong> <span class="${state === 'works' ? 'good' : state === 'wrong' ? 'bad' : ''}">${words[state]}</span><br>${escapeHtml(detail)}</li>`

/** Where there is a secret, the page tells strangers nothing. */
export const setupGate = (isRefused: boolean): Response =>
  plainPage(
    isRefused ? 403 : 200,
    'Set-up',
    `<form method="post"><p>${isRefused ? 'That is not the secret.' : 'Whoever runs this server can have every part of it tried.'}</p>
<p><label for="secret">CRON_SECRET</label><input id="secret" name="secret" type="password" autocomplete="off" required></p>
<button class="primary">Try everything</button></form>`,
  )

/** Pages of plain HTML without scripts, external styles or database access: errors, and the set-up of the operator. */
import { defaultLanguage, type Language } from '../contract/languages.ts'
import { escapeHtml } from '../lib/escape-html.ts'
import { paletteCss } from '../lib/palette.ts'
import { enableCommand, type Feature, featureNotes } from '../setting-definitions.ts'
import type { Problem } from '../settings.ts'
import { pageTextsFor } from './page-texts.ts'

const style = `
${paletteCss}
body { margin: 0; min-height: 100vh; display: grid; place-items: center; font: 16px/1.6 system-ui, sans-serif; background: var(--background); color: var(--text); }
main { box-sizing: border-box; width: 100%; max-width: 39rem; padding: 3rem 1.5rem; }
h1 { margin: 0 0 .75rem; font-size: 1.75rem; font-weight: 600; line-height: 2.25rem; letter-spacing: -.02em; }
h2 { margin: 1.5rem 0 .5rem; font-size: 1rem; }
p { margin: 0 0 1rem; color: var(--muted); }
ul { margin: 0 0 1rem; padding: 0; list-style: none; border-top: 1px solid var(--line); }
li { padding: .5rem 0; border-bottom: 1px solid var(--line); }
form { margin: 0 0 .75rem; }
button, .button { font: inherit; display: inline-block; padding: .5rem 1rem; border: 1px solid #c3cccc; border-radius: .625rem; background: none; color: inherit; cursor: pointer; text-decoration: none; }
button.primary { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
button:focus-visible, a:focus-visible, input:focus-visible { outline: 2px solid #00828e; outline-offset: 2px; }
a { color: inherit; }
label { display: block; margin: 0 0 .25rem; }
input { font: inherit; box-sizing: border-box; width: 100%; padding: .5rem .75rem; border: 1px solid #7d888a; border-radius: .625rem; background: none; color: inherit; }
.notice { padding: .75rem 1rem; border: 1px dashed #a16207; border-radius: .625rem; color: #854d0e; }
.acts { display: flex; flex-wrap: wrap; gap: .5rem; }
.acts form { margin: 0; }
.good { color: #15803d; } .bad { color: #b91c1c; }
code { font: .9em/1.4 ui-monospace, monospace; }
@media (prefers-color-scheme: dark) {
  button, .button { border-color: #3a4244; }
  .notice { border-color: #ca8a04; color: #fde047; }
  .good { color: #4ade80; } .bad { color: #f87171; }
}`

/** `body` is HTML; untrusted text in it must be escaped with `escapeHtml`. */
export function plainPage(status: number, title: string, body: string, language: Language = defaultLanguage): Response {
  const html = `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<link rel="icon" href="/favicon.svg">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body><main><h1>${escapeHtml(title)}</h1>
${body}
</main></body>
</html>
`
  return new Response(html, { status, headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'private, no-store' } })
}

/** The instructions for the operator are in English, like the setup page. */
export function misconfiguredPage(request: Request, problems: readonly Problem[]): Response {
  const { language, text } = pageTextsFor(request)
  const items = problems.map(({ name, reason, prefix = '' }) => `<li>${prefix}<code>${escapeHtml(name)}</code> ${escapeHtml(reason)}</li>`)
  const body = `<p>${text.notSetUpReason}</p>
<div lang="en"><ul>${items.join('')}</ul>
<p>Every setting has one line in <code>.dev.vars.example</code>. <code>npm run deploy</code> switches off every feature without settings.</p>
<p><a href="/api/setup">Check the current settings</a></p></div>`
  return plainPage(500, text.notSetUp, body, language)
}

export function failedPage(request: Request, requestId: string): Response {
  const { language, text } = pageTextsFor(request)
  return plainPage(500, text.failed, `<p>${text.failedReason}</p>\n<p><code>${escapeHtml(requestId)}</code></p>`, language)
}

/** The setup page for the operator: missing settings, and the result of each check. */
type Checked = { readonly name: string; readonly state: 'works' | 'warning' | 'wrong' | 'off'; readonly detail: string }

const stateLabels = { works: 'works', warning: 'warning', wrong: 'needs attention', off: 'off' } as const

export function setupPage(problems: readonly Problem[], checked: readonly Checked[], disabled: ReadonlySet<Feature>): Response {
  const wrong = checked.filter(({ state }) => state === 'wrong').length
  const count = problems.length + wrong
  const summary =
    count === 0 ? 'Everything that is set works.' : `${count === 1 ? 'One setting needs' : `${count} settings need`} attention.`
  const missing = problems
    .map(({ name, reason, prefix = '' }) => `<li>${prefix}<code>${escapeHtml(name)}</code> ${escapeHtml(reason)}</li>`)
    .join('')
  const off = [...disabled].map((feature) => {
    const { name, brings } = featureNotes[feature]
    return `<li><strong>${name}</strong><br>${escapeHtml(brings)}<br><code>${enableCommand(feature)}</code></li>`
  })
  return plainPage(
    200,
    'Set-up',
    `<p>${summary} Every setting has one line in <code>.dev.vars.example</code>. Write it into <code>.prod.vars</code> and run <code>npm run deploy</code>.</p>
${missing && `<h2>Missing</h2><ul>${missing}</ul>`}
<h2>Checks</h2>
<ul>${checked.map(line).join('')}</ul>
${off.length > 0 ? `<h2>Switched off</h2><p>The command asks for the settings, checks them and deploys. A container has no such command: set them in its environment.</p><ul>${off.join('')}</ul>` : ''}`,
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

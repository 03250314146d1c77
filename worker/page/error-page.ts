/** The page for when there can be no other: plain HTML that needs no script, no style sheet and no database. */
import type { Problem } from '../env.ts'
import { productName } from './hint.ts'

const style = `
:root { color-scheme: light dark; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; font: 16px/1.6 system-ui, sans-serif; background: #fafaf9; color: #1c1917; }
main { max-width: 36rem; padding: 3rem 1.5rem; }
h1 { margin: 0 0 .75rem; font-size: 1.5rem; line-height: 1.25; letter-spacing: -.01em; }
p { margin: 0 0 1rem; color: #57534e; }
ul { margin: 0 0 1rem; padding: 0; list-style: none; border-top: 1px solid #e7e5e4; }
li { padding: .5rem 0; border-bottom: 1px solid #e7e5e4; }
code { font: .9em/1.4 ui-monospace, monospace; }
@media (prefers-color-scheme: dark) {
  body { background: #0c0a09; color: #fafaf9; }
  p { color: #a8a29e; }
  ul, li { border-color: #292524; }
}`

export const misconfiguredPage = (problems: readonly Problem[]): Response =>
  page(
    `${productName} is not set up yet`,
    `<p>This server is missing settings. Whoever runs it sets them and deploys again; nothing is lost.</p>
<ul>${problems.map(({ name, reason }) => `<li><code>${escapeHtml(name)}</code> ${escapeHtml(reason)}</li>`).join('')}</ul>
<p>Every setting has one line in <code>.dev.vars.example</code>. What is not wanted is switched off by name in <code>DISABLED_FEATURES</code>.</p>`,
  )

export const failedPage = (requestId: string): Response =>
  page(
    'Something went wrong!',
    `<p>The page could not be made. Reload it in a moment. If it keeps failing, this number finds it in the log:</p>
<p><code>${escapeHtml(requestId)}</code></p>`,
  )

function page(title: string, body: string): Response {
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body><main><h1>${escapeHtml(title)}</h1>
${body}
</main></body>
</html>
`
  return new Response(html, { status: 500, headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'private, no-store' } })
}

const escapes: { readonly [character: string]: string } = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => escapes[character] ?? '')

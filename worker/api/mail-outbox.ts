/**
 * GET /api/outbox: the mails of a development without a mail provider, as a page for browsers and as JSON for programs. It does not exist
 * in production. In development every client of the server can read it.
 */
import { type OutboxMail, readOutbox } from '../db/mail-outbox.ts'
import { escapeHtml } from '../lib/escape-html.ts'
import { paletteCss } from '../lib/palette.ts'
import { type AppContext, refuseWith } from './http.ts'

export async function handleOutbox(c: AppContext): Promise<Response> {
  const { environment, mail } = c.var.settings
  if (environment !== 'development' || mail !== null) return refuseWith(c, 'not_found')
  const mails = await readOutbox(c.env)
  const wantsPage = c.req.header('accept')?.includes('text/html') === true
  return wantsPage ? c.html(outboxPage(mails)) : c.json({ mails })
}

const style = `
${paletteCss}
body { margin: 0; font: 15px/1.6 system-ui, sans-serif; background: var(--background); color: var(--text); }
main { max-width: 44rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; }
h1 { margin: 0 0 .25rem; font-size: 1.4rem; letter-spacing: -.01em; }
h2 { margin: 0; font-size: 1rem; }
p { margin: 0 0 1rem; color: var(--muted); }
article { border-top: 1px solid var(--line); padding: 1.25rem 0; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font: 13px/1.6 ui-monospace, monospace; margin: .75rem 0; }
a { color: var(--accent); }
iframe { width: 100%; height: 34rem; border: 1px solid var(--line); border-radius: 8px; background: var(--ground); }
summary { cursor: pointer; color: var(--muted); }`

const outboxPage = (mails: readonly OutboxMail[]): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Outbox</title><link rel="icon" href="/favicon.svg"><style>${style}</style></head>
<body><main><h1>Outbox</h1>
<p>Email isn’t configured, so mails are shown on this page instead of being sent. Newest first; reload for new ones.</p>
${mails.length === 0 ? '<p>Nothing has been sent yet.</p>' : mails.map(article).join('\n')}
</main></body></html>
`

const article = ({ to, subject, body, html, createdAt }: OutboxMail): string => `<article>
<h2>${escapeHtml(subject)}</h2>
<p>To ${escapeHtml(to)}, <time>${new Date(createdAt).toISOString().slice(0, 19).replace('T', ' ')} UTC</time></p>
<pre tabindex="0" aria-label="Text of the mail">${linked(escapeHtml(body))}</pre>
${html === null ? '' : `<details><summary>As a mail program shows it</summary><iframe sandbox title="${escapeHtml(subject)}" srcdoc="${escapeHtml(html)}"></iframe></details>`}
</article>`

/** `text` is escaped HTML. */
const linked = (text: string): string => text.replace(/https?:\/\/[^\s<]+/g, (link) => `<a href="${link}">${link}</a>`)

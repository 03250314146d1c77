/** A mail as HTML for all mail programs: one table with inline styles, and no external images, fonts or scripts. */
import type { Language } from '../contract/languages.ts'
import { escapeHtml } from '../lib/escape-html.ts'

export type MailText = {
  readonly language: Language
  readonly title: string
  readonly lines: readonly string[]
  readonly code?: string
  readonly action?: { readonly label: string; readonly link: string }
  readonly note: string
}

const text = 'font:16px/26px system-ui,-apple-system,Segoe UI,Roboto,sans-serif;color:#44403c;margin:0 0 20px'

export const mailPage = ({ language, title, lines, code, action, note }: MailText): string => `<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light"><title>${escapeHtml(title)}</title></head>
<body style="margin:0;background:#f5f5f4">
<div role="main">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td align="center" style="padding:32px 16px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:480px;background:#ffffff;border:1px solid #e7e5e4;border-radius:12px">
<tr><td style="padding:36px 36px 28px">
<p style="font:600 15px/20px system-ui,-apple-system,Segoe UI,Roboto,sans-serif;color:#57534e;margin:0 0 24px">Parley</p>
<h1 style="font:600 22px/30px system-ui,-apple-system,Segoe UI,Roboto,sans-serif;color:#1c1917;margin:0 0 12px">${escapeHtml(title)}</h1>
${lines.map((line) => `<p style="${text}">${escapeHtml(line)}</p>`).join('\n')}
${action ? button(action) : ''}
${code ? `<p style="font:600 30px/40px ui-monospace,Menlo,Consolas,monospace;letter-spacing:6px;color:#1c1917;background:#f5f5f4;border-radius:8px;padding:12px 16px;margin:0 0 24px;text-align:center">${escapeHtml(code)}</p>` : ''}
<p style="font:13px/20px system-ui,-apple-system,Segoe UI,Roboto,sans-serif;color:#57534e;margin:0;border-top:1px solid #e7e5e4;padding-top:20px">${escapeHtml(note)}</p>
</td></tr></table>
</td></tr></table>
</div>
</body></html>
`

const button = ({ label, link }: NonNullable<MailText['action']>): string =>
  `<p style="margin:0 0 24px"><a href="${escapeHtml(link)}" style="display:inline-block;background:#1c1917;color:#ffffff;font:600 15px/20px system-ui,-apple-system,Segoe UI,Roboto,sans-serif;text-decoration:none;border-radius:8px;padding:12px 22px">${escapeHtml(label)}</a></p>
<p style="font:13px/20px system-ui,-apple-system,Segoe UI,Roboto,sans-serif;color:#57534e;margin:0 0 24px;word-break:break-all">${escapeHtml(link)}</p>`

/** The contents of our mails, as text and as HTML. */
import { parseAccept } from 'hono/utils/accept'
import * as z from 'zod'
import { type Language, languageFor } from '../contract/languages.ts'
import { cleanName, hasDefaultName, nameInMail } from '../contract/names.ts'
import { addToOutbox } from '../db/mail-outbox.ts'
import type { DatabaseBindings } from '../db/shards.ts'
import { escapeHtml } from '../lib/escape-html.ts'
import { lightPalette as colours } from '../lib/palette.ts'
import { translatorOf } from '../lib/translator.ts'
import { withTimeout } from '../lib/with-timeout.ts'
import type { CloudflareMail, ResendMail, Settings } from '../settings.ts'
import { de } from './texts/de.ts'
import { en } from './texts/en.ts'

const textIn = translatorOf({ en, de })

/** The language of the page that requested the mail: `authRequest` sends it as `Accept-Language`. */
export function mailLanguage(headers: Headers | undefined): Language {
  const accepted = parseAccept(headers?.get('accept-language') ?? '').map(({ type }) => type)
  return languageFor(null, accepted)
}

const mailOf = (to: string, content: MailText & { readonly subject: string }): Mail => {
  const { language, subject, title, lines, code, action, note } = content
  const sentence = code ? [textIn(language)('yourCode', { code })] : []
  const parts = [title, ...lines, ...sentence, ...(action ? [`${action.label}:\n${action.link}`] : []), note]
  return { to, subject: cleanName(subject), body: `${parts.join('\n\n')}\n`, html: mailPage(content) }
}

export function codeMail(language: Language, to: string, code: string): Mail {
  const text = textIn(language)
  return mailOf(to, {
    ...{ language, code },
    subject: text('codeSubject'),
    title: text('logInTitle'),
    lines: [text('enterCode')],
    note: text('ignore'),
  })
}

/** For a user who is signed in with this address. Only account deletion asks a signed-in user for a code. */
export function confirmationMail(language: Language, to: string, code: string): Mail {
  const text = textIn(language)
  return mailOf(to, {
    ...{ language, code },
    subject: text('deletionSubject'),
    title: text('deletionTitle'),
    lines: [text('deletionReason'), text('codeLife')],
    note: text('deletionNote'),
  })
}

export function linkMail(language: Language, to: string, link: string, code: string): Mail {
  const text = textIn(language)
  return mailOf(to, {
    ...{ language, code },
    subject: text('linkSubject'),
    title: text('logInTitle'),
    lines: [text('openLink')],
    action: { label: text('logIn'), link },
    note: text('ignore'),
  })
}

type Inviter = { readonly name: string; readonly email: string }

/** The proven address, preceded by the name if it is not the default name. */
export const inviterName = ({ name, email }: Inviter): string =>
  name.trim() === '' || hasDefaultName({ name, email }) ? email : `${nameInMail(name.trim())} (${email})`

export function invitationMail(language: Language, to: string, inviter: Inviter, organizationName: string, link: string): Mail {
  const text = textIn(language)
  const organization = nameInMail(organizationName)
  return mailOf(to, {
    language,
    subject: text('invitationSubject', { organization }),
    title: text('invitationTitle', { organization }),
    lines: [text('invitation', { inviter: inviterName(inviter), organization })],
    action: { label: text('seeInvitation'), link },
    note: text('ignoreInvitation'),
  })
}

/** For the operator, in English like the setup page. */
export const alertMail = (to: string, sentence: string): Mail =>
  mailOf(to, {
    language: 'en',
    subject: `Parley: ${sentence}`,
    title: 'Your deployment needs attention',
    lines: [sentence],
    note: 'The log of the Worker has the details. This mail is sent once a day while the threshold is passed.',
  })

/**
 * Sends mail through Resend or Email Service of Cloudflare, or stores it in the development outbox if neither is set. Bodies contain codes and links
 * and are never logged. Production has no outbox: without a provider, sending is refused.
 */

/** `body`: the plain text of `html`. */
export type Mail = { readonly to: string; readonly subject: string; readonly body: string; readonly html: string }
export type Mailer = (mail: Mail) => Promise<void>

class MailError extends Error {
  override name = 'MailError'
}

const sendTimeoutMs = 10_000

export function createMailer(env: DatabaseBindings, settings: Settings): Mailer {
  const { mail } = settings
  if (mail?.via === 'resend') return (message) => sendThroughResend(mail, message)
  if (mail) return (message) => sendThroughCloudflare(mail, message)
  if (settings.environment === 'development') return (message) => addToOutbox(env, message, Date.now())
  return () => Promise.reject(new MailError('mail is switched off by DISABLED_FEATURES'))
}

async function sendThroughResend({ apiKey, url, from }: ResendMail, { to, subject, body, html }: Mail): Promise<void> {
  const response = await fetch(`${url}/emails`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ from, to: [to], subject, text: body, html }),
    signal: AbortSignal.timeout(sendTimeoutMs),
  })
  // The response is not read: it may repeat the address or never end, and the status is sufficient.
  await response.body?.cancel()
  if (!response.ok) throw new MailError(`the mail provider answered ${response.status}`)
}

/** https://developers.cloudflare.com/email-service/api/send-emails/workers-api/#error-codes. The message of an error may repeat the address. */
const codeSchema = z.object({ code: z.string().regex(/^E_[A-Z_]{1,60}$/) })

async function sendThroughCloudflare({ binding, from }: CloudflareMail, { to, subject, body, html }: Mail): Promise<void> {
  const send = async () => {
    try {
      await binding.send({ from: senderOf(from), to, subject, text: body, html })
    } catch (error) {
      const { code = 'without a code' } = codeSchema.safeParse(error).data ?? {}
      throw new MailError(`Email Service of Cloudflare refused the mail: ${code}`)
    }
  }
  await withTimeout(sendTimeoutMs, send(), () => {
    throw new MailError('Email Service of Cloudflare does not answer')
  })
}

/** MAIL_FROM as `Name <address>` or an address alone. */
function senderOf(from: string): string | { readonly name: string; readonly email: string } {
  const [, name = '', email = ''] = /^(.*?)\s*<([^<>]+)>$/.exec(from) ?? []
  return name === '' ? email || from : { name: name.replace(/^"(.*)"$/, '$1'), email }
}

/** A mail as HTML for all mail programs: one table with inline styles, and no external images, fonts or scripts. */
type MailText = {
  readonly language: Language
  readonly title: string
  readonly lines: readonly string[]
  readonly code?: string
  readonly action?: { readonly label: string; readonly link: string }
  readonly note: string
}

const face = 'system-ui,-apple-system,Segoe UI,Roboto,sans-serif'
const text = `font:16px/26px ${face};color:${colours.text};margin:0 0 20px`

/** The mark of Parley, without an image: a bubble with a dot. */
const mark = `<span style="display:inline-block;width:18px;height:18px;border-radius:9px 9px 9px 2px;background:${colours.accent};vertical-align:-3px"></span><span style="display:inline-block;width:6px;height:6px;border-radius:3px;background:${colours.accent};margin:0 9px 0 2px;vertical-align:-3px"></span>`

const mailPage = ({ language, title, lines, code, action, note }: MailText): string => `<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light"><title>${escapeHtml(title)}</title></head>
<body style="margin:0;background:${colours.ground}">
<div role="main">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td align="center" style="padding:32px 16px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:480px;background:#ffffff;border:1px solid ${colours.line};border-radius:12px">
<tr><td style="padding:36px 36px 28px">
<p style="font:600 15px/20px ${face};color:${colours.text};margin:0 0 24px">${mark}Parley</p>
<h1 style="font:600 22px/30px ${face};color:${colours.text};margin:0 0 12px">${escapeHtml(title)}</h1>
${lines.map((line) => `<p style="${text}">${escapeHtml(line)}</p>`).join('\n')}
${code ? `<p style="font:600 32px/40px ui-monospace,Menlo,Consolas,monospace;letter-spacing:6px;color:${colours.text};background:${colours.ground};border-radius:8px;padding:14px 16px;margin:0 0 24px;text-align:center">${escapeHtml(code)}</p>` : ''}
${action ? button(action, textIn(language)('buttonTrouble')) : ''}
<p style="font:13px/20px ${face};color:${colours.muted};margin:0;border-top:1px solid ${colours.line};padding-top:20px">${escapeHtml(note)}</p>
</td></tr></table>
</td></tr></table>
</div>
</body></html>
`

const button = ({ label, link }: NonNullable<MailText['action']>, trouble: string): string =>
  `<p style="margin:0 0 24px"><a href="${escapeHtml(link)}" style="display:inline-block;background:${colours.accent};color:${colours['on-accent']};font:600 15px/20px ${face};text-decoration:none;border-radius:8px;padding:12px 22px">${escapeHtml(label)}</a></p>
<p style="font:13px/20px ${face};color:${colours.muted};margin:0 0 24px">${escapeHtml(trouble)}<br><span style="word-break:break-all">${escapeHtml(link)}</span></p>`
